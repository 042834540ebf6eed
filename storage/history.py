"""What became of one conversation, in PostgreSQL's time, for people to look at."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database
from storage.records import ConversationKey, RunNumber, Seq

# What one statement wrote bears one time.
ARRIVALS = """
SELECT m.received_at, COALESCE(w.opened_at = m.received_at, false) AS opened_window
FROM messages m LEFT JOIN windows w USING (chat_id, thread_id)
WHERE m.chat_id = :chat_id AND m.thread_id = :thread_id
ORDER BY m.seq
"""

RUN_HISTORY = """
SELECT number, kind, state, first_seq, last_seq, started_at, committed_at, ended_at FROM runs
WHERE chat_id = :chat_id AND thread_id = :thread_id
ORDER BY number
"""


EFFECTS = """
SELECT tool, state, result, ended_at FROM effects
WHERE chat_id = :chat_id AND thread_id = :thread_id AND ended_at IS NOT NULL
ORDER BY ended_at
"""


@dataclass(frozen=True, slots=True)
class PastEffect:
    """What a tool did."""

    tool: str
    state: str
    result: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a message was counted, and whether it opened the window that is there now."""

    at: datetime
    opened_window: bool


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run, under way or over."""

    number: RunNumber
    state: str
    first_seq: Seq
    last_seq: Seq
    started_at: datetime
    committed_at: datetime | None
    ended_at: datetime | None
    kind: str = "burst"


async def arrivals(db: Database, key: ConversationKey) -> list[Arrival]:
    """Every message as it was counted, the first one first."""
    rows = await db.fetch(ARRIVALS, key._asdict())
    return [Arrival(row.received_at, row.opened_window) for row in rows]


async def run_history(db: Database, key: ConversationKey) -> list[PastRun]:
    """Every run there was, oldest first."""
    return [
        PastRun(
            RunNumber(row.number),
            row.state,
            Seq(row.first_seq),
            Seq(row.last_seq),
            row.started_at,
            row.committed_at,
            row.ended_at,
            row.kind,
        )
        for row in await db.fetch(RUN_HISTORY, key._asdict())
    ]


async def effect_history(db: Database, key: ConversationKey) -> list[PastEffect]:
    """What tools did in the conversation, in the order in which it was done."""
    return [
        PastEffect(row.tool, row.state, row.result, row.ended_at)
        for row in await db.fetch(EFFECTS, key._asdict())
    ]
