"""The event log of one conversation, as a test reads it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.records import ConversationKey
from tests.support.acts import ADA

EVENTS = """
SELECT e.version, e.type, e.payload, e.correlation_id AS burst, e.run, e.holder, e.recorded_at,
    c.version AS cause
FROM events e LEFT JOIN events c ON c.id = e.causation_id
WHERE e.chat_id = :chat_id AND e.thread_id = :thread_id
ORDER BY e.version
"""


async def events_of(db: Database, key: ConversationKey = ADA) -> Sequence[Row[Any]]:
    """Every event, with the version of the one that caused it."""
    return await db.fetch(EVENTS, key._asdict())


async def types_of(db: Database) -> list[str]:
    return [event.type for event in await events_of(db)]
