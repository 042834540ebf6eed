"""The reply lease: take, renew, release. Who may answer a conversation now."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.fragments import CLOCK, FENCED, LEASE_IS_FREE, WAITING_AGAIN
from storage.records import (
    Burst,
    CommittedReply,
    ConversationKey,
    Fence,
    Lease,
    Released,
    Renewed,
    RunNumber,
    Seq,
    Taken,
)
from storage.verbs import verb

# FOR UPDATE of both rows makes PostgreSQL judge the newest version of each, so a message that is
# being counted right now either moves the window first or becomes part of this burst.
# The run of a holder that died bears the last fence as its number.
# A lease in our own name that we ask for again is one whose take we never heard of. If that take
# was done while this one waited for the row, the run it began cannot be seen from here, nor marked
# as lost: `seen` holds the fence of this statement's snapshot, and refuses.
TAKE = f"""
WITH {CLOCK},
seen AS MATERIALIZED (
    SELECT lease_fence FROM conversations WHERE chat_id = :chat_id AND thread_id = :thread_id
),
ready AS (
    SELECT c.chat_id, c.thread_id, c.lease_fence AS last_fence
    FROM conversations c JOIN windows w USING (chat_id, thread_id), clock, seen
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND c.lease_fence = seen.lease_fence
      AND c.inbound_seq > c.answered_seq
      AND {LEASE_IS_FREE}
      AND CASE WHEN c.committed_run IS NULL THEN w.due_at <= clock.now
               ELSE c.deliver_after <= clock.now END
    FOR UPDATE OF c, w
),
taken AS (
    UPDATE conversations c
    SET lease_holder = :holder, lease_fence = c.lease_fence + 1,
        lease_expires_at = clock.now + CAST(:ttl AS interval)
    FROM ready, clock
    WHERE c.chat_id = ready.chat_id AND c.thread_id = ready.thread_id
    RETURNING c.chat_id, c.thread_id, c.lease_fence, c.answered_seq, c.inbound_seq,
        c.superseded_count, c.model_attempts, c.committed_run, ready.last_fence
),
lost AS (
    UPDATE runs r SET state = 'lost', ended_at = clock.now
    FROM taken, clock
    WHERE r.chat_id = taken.chat_id AND r.thread_id = taken.thread_id
      AND r.number = taken.last_fence AND r.state = 'generating'
),
consumed AS (
    UPDATE windows w SET consumed_by = taken.lease_fence, retry_at = NULL
    FROM taken
    WHERE w.chat_id = taken.chat_id AND w.thread_id = taken.thread_id
      AND taken.committed_run IS NULL
),
begun AS (
    INSERT INTO runs (chat_id, thread_id, number, holder, state, first_seq, last_seq, started_at)
    SELECT chat_id, thread_id, lease_fence, :holder, 'generating', answered_seq + 1, inbound_seq,
        clock.now
    FROM taken, clock WHERE committed_run IS NULL
),
bounded AS (
    SELECT taken.*, clock.now, CASE
        WHEN superseded_count >= :max_supersedes THEN clock.now
        ELSE COALESCE(
            (SELECT m.received_at FROM messages m
             WHERE m.chat_id = taken.chat_id AND m.thread_id = taken.thread_id
               AND m.seq = taken.answered_seq + 1),
            clock.now
        ) + CAST(:max_wait AS interval)
    END AS final_at
    FROM taken, clock
)
SELECT *, CAST(EXTRACT(EPOCH FROM final_at - now) AS float) AS final_in FROM bounded
"""

# A renewal that waited behind a later one must not shorten the lease again.
RENEW = f"""
WITH {CLOCK},
held AS (
    SELECT * FROM unnest(
        CAST(:chat_ids AS bigint[]), CAST(:thread_ids AS bigint[]), CAST(:fences AS bigint[])
    ) AS held(chat_id, thread_id, fence)
),
mine AS (
    SELECT c.chat_id, c.thread_id
    FROM conversations c JOIN held USING (chat_id, thread_id)
    WHERE c.lease_fence = held.fence AND c.lease_holder = :holder
    ORDER BY c.chat_id, c.thread_id
    FOR UPDATE OF c
)
UPDATE conversations c
SET lease_expires_at = GREATEST(c.lease_expires_at, clock.now + CAST(:ttl AS interval))
FROM mine, clock
WHERE c.chat_id = mine.chat_id AND c.thread_id = mine.thread_id
RETURNING c.chat_id, c.thread_id, c.lease_fence, c.inbound_seq
"""

HAND_OVER = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c SET lease_holder = NULL, lease_expires_at = NULL
    FROM fenced WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
    RETURNING c.chat_id, c.thread_id, c.committed_run
),
{WAITING_AGAIN},
ended AS (
    UPDATE runs r SET state = 'handed_over', ended_at = clock.now
    FROM freed, clock
    WHERE r.chat_id = freed.chat_id AND r.thread_id = freed.thread_id
      AND r.number = :fence AND r.state = 'generating'
)
SELECT CAST(0 AS float) AS due_in FROM freed
"""

OTHER_HOLDERS = """
SELECT DISTINCT lease_holder FROM conversations
WHERE lease_holder IS NOT NULL AND lease_holder <> :holder
"""

FREE_THE_DEAD = f"""
WITH theirs AS (
    SELECT chat_id, thread_id FROM conversations
    WHERE lease_holder = ANY(CAST(:holders AS text[]))
    ORDER BY chat_id, thread_id FOR UPDATE
),
freed AS (
    UPDATE conversations c SET lease_holder = NULL, lease_expires_at = NULL
    FROM theirs WHERE c.chat_id = theirs.chat_id AND c.thread_id = theirs.thread_id
    RETURNING c.chat_id, c.thread_id, c.committed_run
),
{WAITING_AGAIN}
SELECT chat_id FROM freed
"""


def fenced(lease: Lease) -> dict[str, object]:
    """The arguments by which a verb proves its lease."""
    return {**lease.key._asdict(), "holder": lease.holder, "fence": lease.fence}


@verb
async def take_lease(
    db: Database,
    key: ConversationKey,
    *,
    holder: str,
    ttl: timedelta,
    max_supersedes: int,
    max_wait: timedelta,
    now: datetime | None = None,
) -> Taken | None:
    """Take the lease if something is due and nobody else holds it; None: nothing to do here."""
    row = await db.fetch_one(
        TAKE,
        {
            **key._asdict(),
            "holder": holder,
            "ttl": ttl,
            "max_supersedes": max_supersedes,
            "max_wait": max_wait,
            "wary": db.is_wary,
            "now": now,
        },
    )
    if row is None:
        return None
    return Taken(Lease(key, holder, Fence(row.lease_fence)), _work(row))


def _work(row: Row[Any]) -> Burst | CommittedReply:
    if row.committed_run is not None:
        return CommittedReply(RunNumber(row.committed_run))
    return Burst(
        run=RunNumber(row.lease_fence),
        answered_seq=Seq(row.answered_seq),
        last_seq=Seq(row.inbound_seq),
        final_at=row.final_at,
        final_in=row.final_in,
        model_attempts=row.model_attempts,
    )


@verb
async def renew_leases(
    db: Database,
    leases: Sequence[Lease],
    *,
    holder: str,
    ttl: timedelta,
    now: datetime | None = None,
) -> list[Renewed]:
    """Renew what is still ours (even if it expired, as long as nobody took it) and return it."""
    rows = await db.fetch(
        RENEW,
        {
            "chat_ids": [lease.key.chat_id for lease in leases],
            "thread_ids": [lease.key.thread_id for lease in leases],
            "fences": [lease.fence for lease in leases],
            "holder": holder,
            "ttl": ttl,
            "now": now,
        },
    )
    return [
        Renewed(
            Lease(ConversationKey(row.chat_id, row.thread_id), holder, Fence(row.lease_fence)),
            Seq(row.inbound_seq),
        )
        for row in rows
    ]


@verb
async def hand_over(db: Database, lease: Lease, *, now: datetime | None = None) -> Released | None:
    """Give the lease back with its work undone, for any process to take at once."""
    row = await db.fetch_one(HAND_OVER, {**fenced(lease), "now": now})
    return None if row is None else Released(row.due_in)


@verb
async def other_holders(db: Database, *, holder: str) -> list[str]:
    """Everybody else who holds a reply lease, expired or not."""
    return [row.lease_holder for row in await db.fetch(OTHER_HOLDERS, {"holder": holder})]


@verb
async def free_leases_of(db: Database, holders: Collection[str]) -> int:
    """Free what dead processes held; the caller has proof that they are dead."""
    return len(await db.fetch(FREE_THE_DEAD, {"holders": list(holders)}))
