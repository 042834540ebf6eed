"""Whether there is anything to be answered again."""

from storage.database import Database
from storage.records import ConversationKey
from storage.verbs import verb

ANSWERED = """
SELECT inbound_seq > reset_seq AS yes FROM conversations
WHERE chat_id = :chat_id AND thread_id = :thread_id
"""


@verb
async def can_be_answered_again(db: Database, key: ConversationKey) -> bool:
    """True if something was said since the beginning, or since the last reset."""
    row = await db.fetch_one(ANSWERED, key._asdict())
    return row is not None and bool(row.yes)
