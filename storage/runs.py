"""How a run that generates ends: with a reply, or for now. Fenced by the lease."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.effects import NO_UNDO
from storage.events import milliseconds
from storage.fragments import CLOCK, FENCED, WAITING_AGAIN
from storage.metrics import Step
from storage.records import Burst, Format, Lease, Released, Run, Version
from storage.states import RunState
from storage.transitions import JUDGED, has_moved, moved, of_run
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


def _released(row: Row[Any] | None, to: Step) -> Released | None:
    return Released(row.due_in) if row and has_moved(row, to) else None
