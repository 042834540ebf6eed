"""Effects that are to be undone, because the run that wanted them failed for good.

The due time in the table is also the claim: whoever takes an undo moves it past the time that the
undo may take, and `undo_attempts` tells a late one that its turn is over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK
from storage.records import ConversationKey
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class DueUndo:
    """An effect that is to be undone now."""

    conversation: ConversationKey
    key: str
    tool: str
    arguments: str
    result: str
    attempts: int
    """This one included."""


# In reverse: while a later effect of the burst is still to be undone, an earlier one waits.
CLAIM_UNDOS = f"""
WITH {CLOCK},
due AS (
    SELECT e.chat_id, e.thread_id, e.key FROM effects e, clock
    WHERE e.undo_due_at <= clock.now AND NOT EXISTS (
        SELECT FROM effects later
        WHERE later.chat_id = e.chat_id AND later.thread_id = e.thread_id
          AND later.burst = e.burst AND later.place > e.place AND later.state = 'to_undo'
    )
    ORDER BY e.undo_due_at LIMIT :most
    FOR UPDATE OF e SKIP LOCKED
)
UPDATE effects e
SET undo_attempts = e.undo_attempts + 1,
    undo_due_at = clock.now + CAST(:time_limit AS interval)
FROM due, clock
WHERE e.chat_id = due.chat_id AND e.thread_id = due.thread_id AND e.key = due.key
RETURNING e.chat_id, e.thread_id, e.key, e.tool, CAST(e.arguments AS text) AS arguments, e.result,
    e.undo_attempts
"""

_TOLD = told(
    "numbered",
    "CASE state WHEN 'undone' THEN 'tool_undone' ELSE 'tool_undo_failed' END",
    """jsonb_build_object(
        'tool', tool, 'key', key, 'attempts', undo_attempts, 'reason', undo_error,
        'final', state = 'not_undone'
    )""",
    burst="burst",
    holder="NULL",
)
SETTLE_UNDO = f"""
WITH {CLOCK},
open AS (
    SELECT chat_id, thread_id FROM conversations
    WHERE chat_id = :chat_id AND thread_id = :thread_id FOR UPDATE
),
settled AS (
    UPDATE effects e
    SET state = CASE WHEN CAST(:error AS text) IS NULL THEN 'undone'
                     WHEN CAST(:delay AS interval) IS NULL THEN 'not_undone' ELSE 'to_undo' END,
        undo_due_at = CASE WHEN CAST(:error AS text) IS NOT NULL
            THEN clock.now + CAST(:delay AS interval) END,
        undo_error = CAST(:error AS text)
    FROM open, clock
    WHERE e.chat_id = open.chat_id AND e.thread_id = open.thread_id AND e.key = :key
      AND e.state = 'to_undo' AND e.undo_attempts = :attempts
    RETURNING e.*
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM settled WHERE c.chat_id = settled.chat_id AND c.thread_id = settled.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, settled.tool, settled.key, settled.burst,
        settled.state, settled.undo_attempts, settled.undo_error
),
{_TOLD}
SELECT key FROM settled
"""

# A claim whose time is long up and that no later run resolved: nobody knows what happened.
# What is to be undone is closed by its undo; the rest by somebody who saw to it.
CAN_BE_CLOSED = """e.closed_at IS NULL AND (
    e.state IN ('not_undone', 'unknown') OR e.state = 'processing' AND e.expires_at < now()
)"""
OPEN_EFFECTS = f"""
SELECT chat_id, thread_id, burst, tool, CAST(arguments AS text) AS arguments, key, state, result,
    undo_attempts, undo_error, started_at, undo_due_at
FROM effects e
WHERE state = 'to_undo' OR {CAN_BE_CLOSED}
ORDER BY chat_id, thread_id, burst, place
"""

_CLOSED = told(
    "numbered",
    "'tool_closed'",
    "jsonb_build_object('tool', tool, 'key', key)",
    burst="burst",
    holder="NULL",
)
CLOSE = f"""
WITH {CLOCK},
open AS (
    SELECT c.chat_id, c.thread_id FROM conversations c JOIN effects e USING (chat_id, thread_id)
    WHERE e.key = :key FOR UPDATE OF c
),
closed AS (
    UPDATE effects e SET closed_at = clock.now
    FROM open, clock
    WHERE e.chat_id = open.chat_id AND e.thread_id = open.thread_id AND e.key = :key
      AND {CAN_BE_CLOSED}
    RETURNING e.chat_id, e.thread_id, e.burst, e.tool, e.key
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM closed WHERE c.chat_id = closed.chat_id AND c.thread_id = closed.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, burst, tool, key
),
{_CLOSED}
SELECT key FROM closed
"""


@verb
async def claim_undos(
    db: Database, *, time_limit: timedelta, most: int, now: datetime | None = None
) -> list[DueUndo]:
    """Take effects that are to be undone now, the last of each burst; each for `time_limit`."""
    rows = await db.fetch(CLAIM_UNDOS, {"time_limit": time_limit, "most": most, "now": now})
    return [
        DueUndo(
            ConversationKey(row.chat_id, row.thread_id),
            row.key,
            row.tool,
            row.arguments,
            row.result or "",
            row.undo_attempts,
        )
        for row in rows
    ]


@verb
async def settle_undo(
    db: Database,
    undo: DueUndo,
    *,
    error: str | None = None,
    retry_in: timedelta | None = None,
    now: datetime | None = None,
) -> bool:
    """Record an undo: done, or failed with `error` and due again (never, without `retry_in`).

    False: its time was over, and another process took it.
    """
    given = {
        **undo.conversation._asdict(),
        "key": undo.key,
        "attempts": undo.attempts,
        "error": error,
        "delay": retry_in,
        "now": now,
    }
    return await db.fetch_one(SETTLE_UNDO, given) is not None


async def open_effects(db: Database) -> Sequence[Mapping[str, Any]]:
    """What an operator should look at: effects to be undone, not undone, or of unknown fate."""
    rows: Sequence[Row[Any]] = await db.fetch(OPEN_EFFECTS, {})
    return [row._asdict() for row in rows]


async def close_effect(db: Database, key: str, *, now: datetime | None = None) -> bool:
    """Note that an operator has seen to it; False: no effect of that key waits for anybody."""
    return await db.fetch_one(CLOSE, {"key": key, "now": now}) is not None
