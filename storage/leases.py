"""The reply lease once it is taken: renewed, handed over, freed of the dead."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from storage.database import Database
from storage.events import burst_of, told
from storage.fragments import CLOCK, FENCED, WAITING_AGAIN
from storage.records import ConversationKey, Fence, Lease, Released, Renewed, Run, Seq
from storage.states import RunState
from storage.transitions import JUDGED, has_moved, moved, of_run
from storage.verbs import verb

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
async def other_holders(db: Database, *, holder: str) -> list[str]:
    """Everybody else who holds a reply lease, expired or not."""
    return [row.lease_holder for row in await db.fetch(OTHER_HOLDERS, {"holder": holder})]


@verb
async def free_leases_of(db: Database, holders: Collection[str]) -> int:
    """Free what dead processes held; the caller has proof that they are dead."""
    return len(await db.fetch(FREE_THE_DEAD, {"holders": list(holders), "now": None}))
