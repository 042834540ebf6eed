"""All conversations, so many at a time, for work that goes over everything."""

from collections.abc import AsyncIterator

from storage.database import Database
from storage.records import ConversationKey

PAGE_SIZE = 100
BEFORE_ALL = ConversationKey(-(2**63), 0)

PAGE = """
SELECT chat_id, thread_id FROM conversations
WHERE (chat_id, thread_id) > (CAST(:chat_id AS bigint), CAST(:thread_id AS bigint))
ORDER BY chat_id, thread_id LIMIT :most
"""


async def pages(db: Database, *, most: int = PAGE_SIZE) -> AsyncIterator[list[ConversationKey]]:
    """Every conversation in the order of its key; no statement stays open in between."""
    last = BEFORE_ALL
    while rows := await db.fetch(PAGE, {**last._asdict(), "most": most}):
        page = [ConversationKey(row.chat_id, row.thread_id) for row in rows]
        yield page
        last = page[-1]
