"""What became of one conversation, in PostgreSQL's time, for people to look at."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database
from storage.records import ConversationKey, RunNumber, Seq

ARRIVALS = """
SELECT received_at FROM messages
WHERE chat_id = :chat_id AND thread_id = :thread_id
ORDER BY seq
"""

RUN_HISTORY = """
SELECT number, state, first_seq, last_seq, started_at, committed_at, ended_at FROM runs
WHERE chat_id = :chat_id AND thread_id = :thread_id
ORDER BY number
"""


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


async def arrivals(db: Database, key: ConversationKey) -> list[datetime]:
    """When each message was counted, the first one first."""
    return [row.received_at for row in await db.fetch(ARRIVALS, key._asdict())]


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
        )
        for row in await db.fetch(RUN_HISTORY, key._asdict())
    ]
