"""The outbox: the parts of committed replies, each with its own delivery state."""

from collections.abc import Sequence
from datetime import datetime

from storage.database import Database
from storage.events import burst_of, told
from storage.fragments import CLOCK, FENCED
from storage.records import Format, Lease, Part, PartState, Run
from storage.transitions import fenced
from storage.verbs import verb

OPEN_PARTS = """
SELECT part, text, format, state, attempts FROM outbox
WHERE chat_id = :chat_id AND thread_id = :thread_id AND run = :run
  AND state IN ('pending', 'sending')
ORDER BY part
"""

TOLD_PART = told(
    "numbered",
    "'part_' || CASE state WHEN 'sending' THEN 'started' WHEN 'pending' THEN 'postponed'"
    " ELSE state END",
    """jsonb_build_object(
        'part', part, 'attempts', attempts, 'message_id', message_id, 'length', length(text)
    )""",
    run=":run",
    burst=burst_of("numbered"),
)
NUMBERED = """numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM changed WHERE c.chat_id = changed.chat_id AND c.thread_id = changed.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, changed.part, changed.attempts,
        changed.message_id, changed.text, changed.state
)"""

# Asked again because the first answer was lost on the way, it finds the attempt that the caller is
# about to make. It reads the locked row: the first one may have been done while this one waited.
START_PART = f"""
WITH {CLOCK}, {FENCED},
before AS MATERIALIZED (
    SELECT o.part, o.state, o.attempts FROM outbox o JOIN fenced USING (chat_id, thread_id), clock
    WHERE fenced.lease_expires_at > clock.now AND o.run = :run AND o.part = :part
    FOR UPDATE OF o
),
changed AS (
    UPDATE outbox o SET state = 'sending', attempts = o.attempts + 1, changed_at = clock.now
    FROM fenced, clock, before
    WHERE o.chat_id = fenced.chat_id AND o.thread_id = fenced.thread_id
      AND o.run = :run AND o.part = before.part AND o.state IN ('pending', 'sending')
      AND o.attempts = COALESCE(CAST(:attempts AS integer), o.attempts)
    RETURNING o.*
),
{NUMBERED},
{TOLD_PART}
SELECT part FROM changed
UNION ALL
SELECT part FROM before WHERE state = 'sending' AND attempts = CAST(:attempts AS integer) + 1
"""

# Told twice because the first answer was lost on the way, it is written down once.
RECORD_PART = f"""
WITH {CLOCK}, {FENCED},
changed AS (
    UPDATE outbox o
    SET state = :state, message_id = CAST(:message_id AS bigint), changed_at = clock.now
    FROM fenced, clock
    WHERE o.chat_id = fenced.chat_id AND o.thread_id = fenced.thread_id
      AND o.run = :run AND o.part = :part
      AND (o.state, o.message_id) IS DISTINCT FROM (:state, CAST(:message_id AS bigint))
    RETURNING o.*
),
{NUMBERED},
{TOLD_PART}
SELECT o.part FROM outbox o JOIN fenced USING (chat_id, thread_id)
WHERE o.run = :run AND o.part = :part
"""

# Asked again because the first answer was lost on the way, it finds the new format and does
# nothing. What lies behind a part on its way has never been begun.
TOLD_RECUT = told(
    "numbered",
    "'parts_recut'",
    """jsonb_build_object(
        'part', part, 'format', CAST(:format AS text),
        'parts', cardinality(CAST(:parts AS text[]))
    )""",
    run=":run",
    burst=burst_of("numbered"),
)
RECUT = f"""
WITH {CLOCK}, {FENCED},
refused AS (
    SELECT o.chat_id, o.thread_id, o.run, o.part
    FROM outbox o JOIN fenced USING (chat_id, thread_id)
    WHERE o.run = :run AND o.part = :part AND o.state = 'sending' AND o.format <> :format
    FOR UPDATE OF o
),
surplus AS (
    DELETE FROM outbox o USING refused r
    WHERE o.chat_id = r.chat_id AND o.thread_id = r.thread_id AND o.run = r.run
      AND o.part >= r.part + cardinality(CAST(:parts AS text[]))
),
replaced AS (
    INSERT INTO outbox (chat_id, thread_id, run, part, text, format, changed_at)
    SELECT r.chat_id, r.thread_id, r.run, r.part + fresh.place - 1, fresh.text, :format, clock.now
    FROM refused r, clock,
        unnest(CAST(:parts AS text[])) WITH ORDINALITY AS fresh(text, place)
    ON CONFLICT (chat_id, thread_id, run, part) DO UPDATE
    SET text = excluded.text, format = excluded.format, changed_at = excluded.changed_at,
        state = 'pending', attempts = 0
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM refused r WHERE c.chat_id = r.chat_id AND c.thread_id = r.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, r.part
),
{TOLD_RECUT}
SELECT o.part FROM outbox o JOIN fenced USING (chat_id, thread_id)
WHERE o.run = :run AND o.part = :part
"""


@verb
async def open_parts(db: Database, lease: Lease, run: Run) -> list[Part]:
    """What of the reply is not known to be with Telegram, in order."""
    rows = await db.fetch(OPEN_PARTS, {**lease.key._asdict(), "run": run.number})
    return [Part(row.part, row.text, row.format, row.state, row.attempts) for row in rows]


@verb
async def start_part(
    db: Database,
    lease: Lease,
    run: Run,
    part: int,
    *,
    attempts: int | None = None,
    now: datetime | None = None,
) -> bool:
    """Write down that the part is about to go out; False: the lease is not ours any more.

    `attempts` are those before this one: whoever gives them may ask again.
    """
    arguments = {
        **fenced(lease),
        "run": run.number,
        "part": part,
        "attempts": attempts,
        "now": now,
    }
    return await db.fetch_one(START_PART, arguments) is not None


@verb
async def record_part(
    db: Database,
    lease: Lease,
    run: Run,
    part: int,
    *,
    state: PartState,
    message_id: int | None = None,
    now: datetime | None = None,
) -> bool:
    """Write down what became of the part; False: the lease is not ours any more."""
    arguments = {
        **fenced(lease),
        "run": run.number,
        "part": part,
        "state": state,
        "message_id": message_id,
        "now": now,
    }
    return await db.fetch_one(RECORD_PART, arguments) is not None


@verb
async def recut(
    db: Database,
    lease: Lease,
    run: Run,
    part: int,
    *,
    parts: Sequence[str],
    how: Format,
    now: datetime | None = None,
) -> bool:
    """Put these parts in the place of a refused one and all behind it; False: the lease is lost."""
    arguments = {
        **fenced(lease),
        "run": run.number,
        "part": part,
        "parts": list(parts),
        "format": how,
        "now": now,
    }
    return await db.fetch_one(RECUT, arguments) is not None
