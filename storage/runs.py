"""How a run goes on and ends. Every statement is fenced by the lease."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.effects import NO_UNDO
from storage.events import burst_of, milliseconds, told
from storage.fragments import CLOCK, FENCED, WAITING_AGAIN
from storage.metrics import Step
from storage.records import Burst, Format, Lease, Released, Run, Version
from storage.states import RunState
from storage.transitions import JUDGED, fenced, has_moved, moved, of_run
from storage.verbs import verb

# An apology means that what tools did for the burst is to be undone.
# Under the row lock: is the fence mine and unexpired, and is the counter still what I read (or the
# run final)? `again` answers a caller who asks again because the first answer was lost on the way;
# it reads the locked rows, since the first one may have been done while this one waited.
COMMITTED = moved(
    RunState.COMMITTED,
    sets=""", committed_at = clock.now, reply = CAST(:reply AS text),
        reason = CAST(:reason AS text)""",
    only_if="""fenced.lease_expires_at > clock.now AND fenced.committed_run IS NULL
      AND (fenced.inbound_seq = :last_seq AND fenced.revision = :revision
           OR clock.now >= CAST(:final_at AS timestamptz))""",
    payload="""jsonb_build_object(
        'parts', cardinality(CAST(:parts AS text[])), 'length', length(CAST(:reply AS text)),
        'reason', reason
    )""",
)
COMMIT = f"""
WITH {CLOCK}, {FENCED},
{COMMITTED},
committed AS (
    UPDATE conversations c
    SET committed_run = :run, deliver_after = clock.now, event_version = moved.version
    FROM moved, clock
    WHERE c.chat_id = moved.chat_id AND c.thread_id = moved.thread_id
    RETURNING c.chat_id, c.thread_id
),
to_undo AS (
    UPDATE effects e
    SET state = CASE WHEN e.can_be_undone THEN 'to_undo' ELSE 'not_undone' END,
        undo_due_at = CASE WHEN e.can_be_undone THEN clock.now END,
        undo_error = CASE WHEN NOT e.can_be_undone THEN '{NO_UNDO}' END
    FROM moved, clock
    WHERE e.chat_id = moved.chat_id AND e.thread_id = moved.thread_id
      AND e.burst = moved.first_seq AND e.state = 'done' AND moved.reason IS NOT NULL
),
posted AS (
    INSERT INTO outbox (chat_id, thread_id, run, part, text, format, changed_at)
    SELECT chat_id, thread_id, :run, part.number, part.text, :format, clock.now
    FROM committed, clock, unnest(CAST(:parts AS text[])) WITH ORDINALITY AS part(text, number)
),
again AS (
    SELECT r.version FROM runs r JOIN fenced
        ON r.chat_id = fenced.chat_id AND r.thread_id = fenced.thread_id
        AND r.number = fenced.committed_run
    WHERE fenced.committed_run = :run
    FOR UPDATE OF r
),
could AS (
    SELECT FROM runs r JOIN fenced USING (chat_id, thread_id)
    WHERE r.number = :run AND r.state = 'generating' AND r.version = :version
)
SELECT was_ours, COALESCE(moved.version, (SELECT version FROM again)) AS moved_to,
    EXISTS (SELECT FROM could) AS was_allowed
FROM {JUDGED}
"""

# What it superseded is the message that came last.
SUPERSEDED = moved(
    RunState.SUPERSEDED,
    sets=", ended_at = clock.now",
    only_if="fenced.committed_run IS NULL",
    payload="""jsonb_build_object(
        'inbound_seq', inbound_seq, 'tokens_in', tokens_in, 'tokens_out', tokens_out
    )""",
    cause="received_version",
)
SUPERSEDE = f"""
WITH {CLOCK}, {FENCED},
{SUPERSEDED},
freed AS (
    UPDATE conversations c
    SET superseded_count = c.superseded_count + 1, event_version = moved.version,
        lease_holder = NULL, lease_expires_at = NULL
    FROM moved
    WHERE c.chat_id = moved.chat_id AND c.thread_id = moved.thread_id
    RETURNING c.chat_id, c.thread_id, c.committed_run
),
{WAITING_AGAIN}
SELECT was_ours, moved.version AS moved_to, moved.tokens_in + moved.tokens_out AS tokens,
    CAST(EXTRACT(EPOCH FROM w.due_at - clock.now) AS float) AS due_in
FROM {JUDGED} LEFT JOIN windows w USING (chat_id, thread_id), clock
"""

POSTPONED = moved(
    RunState.POSTPONED,
    sets=", ended_at = clock.now, reason = CAST(:reason AS text)",
    only_if="fenced.committed_run IS NULL",
    payload=f"""jsonb_build_object(
        'reason', reason, 'retry_in_ms', {milliseconds("CAST(:delay AS interval)")}
    )""",
)
POSTPONE_RUN = f"""
WITH {CLOCK}, {FENCED},
{POSTPONED},
freed AS (
    UPDATE conversations c
    SET model_attempts = c.model_attempts + 1, event_version = moved.version,
        lease_holder = NULL, lease_expires_at = NULL
    FROM moved
    WHERE c.chat_id = moved.chat_id AND c.thread_id = moved.thread_id
    RETURNING c.chat_id, c.thread_id
),
waiting AS (
    UPDATE windows w SET retry_at = clock.now + CAST(:delay AS interval), consumed_by = NULL
    FROM freed, clock
    WHERE w.chat_id = freed.chat_id AND w.thread_id = freed.thread_id
    RETURNING w.due_at
)
SELECT was_ours, moved.version AS moved_to,
    CAST(EXTRACT(EPOCH FROM (SELECT due_at FROM waiting) - clock.now) AS float) AS due_in
FROM {JUDGED}, clock
"""

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
async def commit_reply(
    db: Database,
    lease: Lease,
    burst: Burst,
    *,
    reply: str,
    parts: Sequence[str],
    how: Format = "plain",
    failure: str | None = None,
    now: datetime | None = None,
) -> Run | None:
    """Put the reply into the outbox, if the lease holds and the burst is as it was read.

    `failure` says why the reply is an apology. None: superseded or lost; nothing has changed.
    """
    arguments = {
        **of_run(lease, burst.run),
        "last_seq": burst.last_seq,
        "revision": burst.revision,
        "final_at": burst.final_at,
        "reply": reply,
        "parts": list(parts),
        "format": how,
        "reason": failure,
        "now": now,
    }
    row = await db.fetch_one(COMMIT, arguments)
    if row and row.moved_to is None and row.was_allowed:
        return None  # the burst grew, or the lease ran out: no fault of anybody's
    if row and has_moved(row, "committed"):
        return Run(burst.run.number, Version(row.moved_to))
    return None


@verb
async def supersede(
    db: Database, lease: Lease, run: Run, *, now: datetime | None = None
) -> Released | None:
    """Drop an uncommitted run whose burst grew; None: the lease is not ours any more."""
    row = await db.fetch_one(SUPERSEDE, {**of_run(lease, run), "now": now})
    if row and has_moved(row, "superseded"):
        return Released(row.due_in, row.tokens)
    return None


@verb
async def postpone_run(
    db: Database,
    lease: Lease,
    run: Run,
    *,
    delay: timedelta,
    reason: str,
    now: datetime | None = None,
) -> Released | None:
    """Count a failed attempt and make the burst due again after `delay`."""
    arguments = {**of_run(lease, run), "delay": delay, "reason": reason, "now": now}
    return _released(await db.fetch_one(POSTPONE_RUN, arguments), "postponed")


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


def _released(row: Row[Any] | None, to: Step) -> Released | None:
    return Released(row.due_in) if row and has_moved(row, to) else None
