"""The reply lease: take, renew, release. Who may answer a conversation now."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.events import burst_of, milliseconds, told
from storage.fragments import CLOCK, FENCED, LEASE_IS_FREE, WAITING_AGAIN
from storage.records import (
    Burst,
    CommittedReply,
    ConversationKey,
    Fence,
    Lease,
    Released,
    Renewed,
    Run,
    RunNumber,
    Seq,
    Taken,
    Version,
)
from storage.states import RunState
from storage.transitions import JUDGED, has_moved, moved, of_run
from storage.verbs import verb

TOLD_LOST = told(
    "lost",
    "'run_lost'",
    "jsonb_build_object('holder', lost.holder, 'expired_ms', expired_ms)",
    name="told_lost",
    version="version",
    run="number",
    burst="first_seq",
    cause="last_version",
)

TOLD_TAKEN = told(
    "bounded",
    "CASE WHEN committed_run IS NULL THEN 'run_generating' ELSE 'delivery_taken' END",
    """CASE WHEN committed_run IS NULL THEN jsonb_build_object(
        'first_seq', answered_seq + 1, 'last_seq', inbound_seq, 'superseded', superseded_count,
        'attempt', model_attempts + 1, 'final', final_at <= clock.now
    ) ELSE '{}'::jsonb END""",
    run="COALESCE(committed_run, lease_fence)",
    burst="CASE WHEN kind IS DISTINCT FROM 'reminder' THEN answered_seq + 1 END",
    cause="event_version - 1",
)

# The conversation is locked first, as everybody does, and then its window, so that PostgreSQL
# judges the newest version of each: a message that is being counted right now either moves the
# window first or becomes part of this burst.
# The run of a holder that died bears the last fence as its number.
# A lease in our own name that we ask for again is one whose take we never heard of. If that take
# was done while this one waited for the row, the run it began cannot be seen from here, nor marked
# as lost: `seen` holds the fence of this statement's snapshot, and refuses.
TAKE = f"""
WITH {CLOCK},
seen AS MATERIALIZED (
    SELECT lease_fence FROM conversations WHERE chat_id = :chat_id AND thread_id = :thread_id
),
open AS (
    SELECT c.* FROM conversations c, clock, seen
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND c.lease_fence = seen.lease_fence
      AND {LEASE_IS_FREE}
      AND CASE WHEN c.committed_run IS NULL
          THEN CAST(:may_generate AS boolean) AND c.inbound_seq > c.answered_seq
          ELSE c.deliver_after <= clock.now END
    FOR UPDATE OF c
),
closed AS (
    SELECT w.chat_id, w.thread_id, w.due_at
    FROM windows w JOIN open USING (chat_id, thread_id), clock
    WHERE w.due_at <= clock.now
    FOR UPDATE OF w
),
ready AS (
    SELECT open.*, COALESCE(open.deliver_after, closed.due_at) AS due_at
    FROM open LEFT JOIN closed USING (chat_id, thread_id)
    WHERE open.committed_run IS NOT NULL OR closed.chat_id IS NOT NULL
),
reply AS (
    SELECT r.chat_id, r.thread_id, r.version, r.kind, r.first_seq
    FROM runs r JOIN ready
        ON r.chat_id = ready.chat_id AND r.thread_id = ready.thread_id
        AND r.number = ready.committed_run
    FOR UPDATE OF r
),
lost AS (
    UPDATE runs r SET state = 'lost', version = ready.event_version + 1, ended_at = clock.now
    FROM ready, clock
    WHERE r.chat_id = ready.chat_id AND r.thread_id = ready.thread_id
      AND r.number = ready.lease_fence AND r.state = 'generating'
      AND r.version <= ready.event_version
    RETURNING r.chat_id, r.thread_id, r.number, r.version, r.first_seq,
        ready.event_version AS last_version,
        {milliseconds("clock.now - ready.lease_expires_at")} AS expired_ms, r.holder
),
{TOLD_LOST},
taken AS (
    UPDATE conversations c
    SET lease_holder = :holder, lease_fence = c.lease_fence + 1,
        lease_expires_at = clock.now + CAST(:ttl AS interval),
        event_version = c.event_version + 1 + (SELECT count(*) FROM lost)
    FROM ready, clock
    WHERE c.chat_id = ready.chat_id AND c.thread_id = ready.thread_id
    RETURNING c.chat_id, c.thread_id, c.lease_fence, c.answered_seq, c.inbound_seq,
        c.superseded_count, c.model_attempts, c.committed_run, c.event_version, c.revision,
        c.reset_seq, ready.due_at
),
consumed AS (
    UPDATE windows w SET consumed_by = taken.lease_fence, retry_at = NULL
    FROM taken
    WHERE w.chat_id = taken.chat_id AND w.thread_id = taken.thread_id
      AND taken.committed_run IS NULL
),
begun AS (
    INSERT INTO runs (
        chat_id, thread_id, number, holder, state, version, first_seq, last_seq, started_at
    )
    SELECT chat_id, thread_id, lease_fence, :holder, 'generating', event_version,
        answered_seq + 1, inbound_seq, clock.now
    FROM taken, clock WHERE committed_run IS NULL
),
bounded AS (
    SELECT taken.*, clock.now, reply.kind, reply.version AS committed_version,
        CASE
            WHEN superseded_count >= :max_supersedes THEN clock.now
            ELSE COALESCE(
                (SELECT m.received_at FROM messages m
                 WHERE m.chat_id = taken.chat_id AND m.thread_id = taken.thread_id
                   AND m.seq = taken.answered_seq + 1),
                clock.now
            ) + CAST(:max_wait AS interval)
        END AS final_at
    FROM taken LEFT JOIN reply USING (chat_id, thread_id), clock
),
{TOLD_TAKEN}
SELECT *, CAST(EXTRACT(EPOCH FROM final_at - now) AS float) AS final_in,
    CAST(EXTRACT(EPOCH FROM now - due_at) AS float) AS overdue,
    EXISTS (SELECT FROM lost) AS found_lost
FROM bounded
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
RETURNING c.chat_id, c.thread_id, c.lease_fence, c.inbound_seq, c.revision,
    c.stop_fence = c.lease_fence IS TRUE AS is_to_stop
"""

_TOLD_TO_STOP = told(
    "asked",
    "'stop_asked'",
    "'{}'::jsonb",
    run="lease_fence",
    burst="answered_seq + 1",
    cause="run_version",
    holder="NULL",
)
# The run is locked too: only so is its newest state judged when this waits for a commit.
ASK_TO_STOP = f"""
WITH {CLOCK},
writing AS (
    SELECT c.chat_id, c.thread_id, r.version AS run_version
    FROM conversations c JOIN runs r
        ON r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.lease_fence
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND r.state = 'generating' AND c.stop_fence IS DISTINCT FROM c.lease_fence
    FOR UPDATE OF c, r
),
asked AS (
    UPDATE conversations c SET stop_fence = c.lease_fence, event_version = c.event_version + 1
    FROM writing w WHERE c.chat_id = w.chat_id AND c.thread_id = w.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, c.lease_fence, c.answered_seq,
        w.run_version
),
{_TOLD_TO_STOP}
SELECT lease_fence FROM asked
"""

HAND_OVER = f"""
WITH {CLOCK}, {FENCED},
{moved(RunState.HANDED_OVER, sets=", ended_at = clock.now")},
freed AS (
    UPDATE conversations c
    SET lease_holder = NULL, lease_expires_at = NULL, event_version = moved.version
    FROM moved WHERE c.chat_id = moved.chat_id AND c.thread_id = moved.thread_id
    RETURNING c.chat_id, c.thread_id, c.committed_run
),
{WAITING_AGAIN}
SELECT was_ours, version AS moved_to, CAST(0 AS float) AS due_in FROM {JUDGED}
"""

TOLD_HANDED_OVER = told(
    "freed",
    "'delivery_handed_over'",
    "'{}'::jsonb",
    run=":run",
    burst=burst_of("freed"),
    cause=":version",
)

HAND_OVER_DELIVERY = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c
    SET lease_holder = NULL, lease_expires_at = NULL, event_version = c.event_version + 1
    FROM fenced
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run = :run
    RETURNING c.chat_id, c.thread_id, c.event_version
),
{TOLD_HANDED_OVER}
SELECT CAST(0 AS float) AS due_in FROM freed
"""

OTHER_HOLDERS = """
SELECT DISTINCT lease_holder FROM conversations
WHERE lease_holder IS NOT NULL AND lease_holder <> :holder
"""

TOLD_FREED = told(
    "freed",
    "'lease_freed'",
    "jsonb_build_object('holder', dead)",
    run="COALESCE(committed_run, lease_fence)",
    holder="NULL",
)

FREE_THE_DEAD = f"""
WITH {CLOCK},
theirs AS (
    SELECT chat_id, thread_id, lease_holder AS dead FROM conversations
    WHERE lease_holder = ANY(CAST(:holders AS text[]))
    ORDER BY chat_id, thread_id FOR UPDATE
),
freed AS (
    UPDATE conversations c
    SET lease_holder = NULL, lease_expires_at = NULL, event_version = c.event_version + 1
    FROM theirs WHERE c.chat_id = theirs.chat_id AND c.thread_id = theirs.thread_id
    RETURNING c.chat_id, c.thread_id, c.committed_run, c.lease_fence, c.event_version, dead
),
{TOLD_FREED},
{WAITING_AGAIN}
SELECT chat_id FROM freed
"""


@verb
async def take_lease(
    db: Database,
    key: ConversationKey,
    *,
    holder: str,
    ttl: timedelta,
    max_supersedes: int,
    max_wait: timedelta,
    may_generate: bool = True,
    now: datetime | None = None,
) -> Taken | None:
    """Take the lease if something is due and nobody else holds it; None: nothing to do here.

    Without `may_generate` only a committed reply counts as due.
    """
    row = await db.fetch_one(
        TAKE,
        {
            **key._asdict(),
            "holder": holder,
            "ttl": ttl,
            "max_supersedes": max_supersedes,
            "max_wait": max_wait,
            "may_generate": may_generate,
            "wary": db.is_wary,
            "now": now,
        },
    )
    if row is None:
        return None
    lease = Lease(key, holder, Fence(row.lease_fence))
    return Taken(lease, _work(row), row.overdue, row.found_lost)


def _work(row: Row[Any]) -> Burst | CommittedReply:
    if row.committed_run is not None:
        run = Run(RunNumber(row.committed_run), Version(row.committed_version))
        return CommittedReply(run, None if row.kind == "reminder" else row.answered_seq + 1)
    return Burst(
        run=Run(RunNumber(row.lease_fence), Version(row.event_version)),
        answered_seq=Seq(row.answered_seq),
        last_seq=Seq(row.inbound_seq),
        final_at=row.final_at,
        final_in=row.final_in,
        model_attempts=row.model_attempts,
        revision=row.revision,
        reset_seq=Seq(row.reset_seq),
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
            row.revision,
            row.is_to_stop,
        )
        for row in rows
    ]


@verb
async def hand_over(
    db: Database, lease: Lease, run: Run, *, now: datetime | None = None
) -> Released | None:
    """Give the lease back with its run undone, for any process to take at once."""
    row = await db.fetch_one(HAND_OVER, {**of_run(lease, run), "now": now})
    return Released(row.due_in) if row and has_moved(row, "handed_over") else None


@verb
async def hand_over_delivery(
    db: Database, lease: Lease, run: Run, *, now: datetime | None = None
) -> Released | None:
    """Give the lease back with its reply not delivered, for any process to take at once."""
    row = await db.fetch_one(HAND_OVER_DELIVERY, {**of_run(lease, run), "now": now})
    return None if row is None else Released(row.due_in)


@verb
async def ask_to_stop(
    db: Database, key: ConversationKey, *, now: datetime | None = None
) -> Fence | None:
    """Have the run that is generating keep what it has; None: there is none."""
    row = await db.fetch_one(ASK_TO_STOP, {**key._asdict(), "now": now})
    return None if row is None else Fence(row.lease_fence)


@verb
async def other_holders(db: Database, *, holder: str) -> list[str]:
    """Everybody else who holds a reply lease, expired or not."""
    return [row.lease_holder for row in await db.fetch(OTHER_HOLDERS, {"holder": holder})]


@verb
async def free_leases_of(db: Database, holders: Collection[str]) -> int:
    """Free what dead processes held; the caller has proof that they are dead."""
    return len(await db.fetch(FREE_THE_DEAD, {"holders": list(holders), "now": None}))
