"""How the delivery of a committed reply ends, or is put off. Fenced by the lease."""

from datetime import datetime, timedelta

from storage.database import Database
from storage.events import burst_of, milliseconds, told
from storage.fragments import CLOCK, FENCED
from storage.records import Lease, Released, Run
from storage.states import RunState
from storage.transitions import JUDGED, fenced, has_moved, moved, of_run
from storage.verbs import verb

# The watermark, the run, the window and the lease change together. A window that was opened
# during the run stays, and its due time goes back to the caller: nothing is stranded. A reminder
# leaves the burst that waits beside it as it is.
FINISHED = moved(
    RunState.SENT,
    RunState.FAILED,
    RunState.UNDELIVERABLE,
    state="""CASE WHEN CAST(:unreachable AS text) IS NOT NULL THEN 'undeliverable'
        WHEN r.reason IS NOT NULL THEN 'failed' ELSE 'sent' END""",
    sets=", ended_at = clock.now, reason = COALESCE(CAST(:unreachable AS text), r.reason)",
    only_if="fenced.committed_run = :run",
    payload=f"""jsonb_build_object(
        'answered_seq', last_seq, 'messages', last_seq - first_seq + 1, 'reason', reason,
        'waited_ms', (
            SELECT {milliseconds("clock.now - m.received_at")} FROM messages m
            WHERE m.chat_id = moved.chat_id AND m.thread_id = moved.thread_id
              AND m.seq = moved.first_seq AND moved.kind = 'burst'
        )
    )""",
)
FINISH = f"""
WITH {CLOCK}, {FENCED},
{FINISHED},
finished AS (
    UPDATE conversations c
    SET answered_seq = moved.last_seq, event_version = moved.version,
        committed_run = NULL, deliver_after = NULL, lease_holder = NULL, lease_expires_at = NULL,
        superseded_count = CASE moved.kind WHEN 'burst' THEN 0 ELSE c.superseded_count END,
        model_attempts = CASE moved.kind WHEN 'burst' THEN 0 ELSE c.model_attempts END
    FROM moved
    WHERE c.chat_id = moved.chat_id AND c.thread_id = moved.thread_id
    RETURNING c.chat_id, c.thread_id, c.inbound_seq, c.answered_seq
),
given_up AS (
    UPDATE outbox o SET state = 'refused', changed_at = clock.now
    FROM finished, clock
    WHERE o.chat_id = finished.chat_id AND o.thread_id = finished.thread_id
      AND o.run = :run AND o.state IN ('pending', 'sending')
),
cleared AS (
    DELETE FROM windows w USING finished
    WHERE w.chat_id = finished.chat_id AND w.thread_id = finished.thread_id
      AND finished.inbound_seq = finished.answered_seq
)
SELECT was_ours, moved.version AS moved_to, moved.state,
    CASE WHEN finished.inbound_seq > finished.answered_seq
    THEN CAST(EXTRACT(EPOCH FROM w.due_at - clock.now) AS float) END AS due_in
FROM {JUDGED} LEFT JOIN finished USING (chat_id, thread_id)
    LEFT JOIN windows w USING (chat_id, thread_id), clock
"""

TOLD_DELIVERY_POSTPONED = told(
    "freed",
    "'delivery_postponed'",
    f"""jsonb_build_object(
        'reason', CAST(:reason AS text), 'retry_in_ms', {milliseconds("CAST(:delay AS interval)")}
    )""",
    run="committed_run",
    burst=burst_of("freed", "freed.committed_run"),
)
POSTPONE_DELIVERY = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c
    SET deliver_after = clock.now + CAST(:delay AS interval), event_version = c.event_version + 1,
        lease_holder = NULL, lease_expires_at = NULL
    FROM fenced, clock
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run IS NOT NULL
    RETURNING c.chat_id, c.thread_id, c.deliver_after, c.event_version, c.committed_run
),
{TOLD_DELIVERY_POSTPONED}
SELECT CAST(EXTRACT(EPOCH FROM deliver_after - clock.now) AS float) AS due_in FROM freed, clock
"""


@verb
async def finish(
    db: Database,
    lease: Lease,
    run: Run,
    *,
    unreachable: str | None = None,
    now: datetime | None = None,
) -> Released | None:
    """Move the watermark over a committed run and release the lease, all at once.

    `unreachable` says why the chat cannot be reached; what has not gone out is given up.
    """
    arguments = {**of_run(lease, run), "unreachable": unreachable, "now": now}
    row = await db.fetch_one(FINISH, arguments)
    return Released(row.due_in, state=row.state) if row and has_moved(row, "finished") else None


@verb
async def postpone_delivery(
    db: Database, lease: Lease, *, delay: timedelta, reason: str, now: datetime | None = None
) -> Released | None:
    """Keep the committed reply, if there is one, for later, and release the lease."""
    arguments = {**fenced(lease), "delay": delay, "reason": reason, "now": now}
    row = await db.fetch_one(POSTPONE_DELIVERY, arguments)
    return None if row is None else Released(row.due_in)
