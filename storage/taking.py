"""Taking the reply lease: the one statement that decides who answers a burst, and which."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.events import milliseconds, told
from storage.fragments import CLOCK, LEASE_IS_FREE
from storage.records import (
    Burst,
    CommittedReply,
    ConversationKey,
    Fence,
    Lease,
    Run,
    RunNumber,
    Seq,
    Taken,
    Version,
)
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
    SELECT w.chat_id, w.thread_id, w.due_at, w.told_burst
    FROM windows w JOIN open USING (chat_id, thread_id), clock
    WHERE w.due_at <= clock.now
    FOR UPDATE OF w
),
ready AS (
    SELECT open.*, COALESCE(open.deliver_after, closed.due_at) AS due_at,
        COALESCE(closed.told_burst = open.answered_seq + 1, false) AS is_promised
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
        c.reset_seq, ready.due_at, ready.is_promised
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
        is_promised=row.is_promised,
        revision=row.revision,
        reset_seq=Seq(row.reset_seq),
    )
