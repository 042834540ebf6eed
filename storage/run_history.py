"""All runs of one conversation, for people to look at."""

from dataclasses import dataclass

from storage.database import Database
from storage.records import ConversationKey, RunNumber, Seq

RUN_HISTORY = """
SELECT number, state, first_seq, last_seq,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - started_at) AS float) AS started_ago,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - committed_at) AS float) AS committed_ago,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - ended_at) AS float) AS ended_ago
FROM runs WHERE chat_id = :chat_id AND thread_id = :thread_id
ORDER BY number
"""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run with its range and state; times are in seconds before now."""

    number: RunNumber
    state: str
    first_seq: Seq
    last_seq: Seq
    started_ago: float
    committed_ago: float | None
    ended_ago: float | None


async def run_history(db: Database, key: ConversationKey) -> list[PastRun]:
    """Every run there was, oldest first."""
    rows = await db.fetch(RUN_HISTORY, key._asdict())
    return [PastRun(**row._mapping) for row in rows]
