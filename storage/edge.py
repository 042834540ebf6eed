"""What the Telegram edge keeps: updates put aside, and chats that were told we do not answer."""

from storage.database import Database
from storage.text import storable
from storage.verbs import verb

SET_ASIDE = """
INSERT INTO set_aside_updates (payload, error, set_aside_at)
VALUES (:payload, :error, clock_timestamp())
RETURNING id
"""

TELL_ONCE = """
INSERT INTO told_chats (chat_id, told_at) VALUES (:chat_id, clock_timestamp())
ON CONFLICT (chat_id) DO NOTHING
RETURNING chat_id
"""


@verb
async def set_aside(db: Database, *, payload: str, error: str) -> None:
    """Keep an update that could not be handled, as JSON, for the operator to look at."""
    await db.fetch(SET_ASIDE, {"payload": storable(payload), "error": storable(error)})


@verb
async def tell_once(db: Database, chat_id: int) -> bool:
    """True the first time it is asked about a chat, and never again."""
    return await db.fetch_one(TELL_ONCE, {"chat_id": chat_id}) is not None
