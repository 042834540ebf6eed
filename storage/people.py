"""People: what Telegram says about who writes, as of their last message."""

from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK
from storage.records import Background, Person
from storage.verbs import verb

KEEP = """
INSERT INTO people AS p (chat_id, name, language_code)
VALUES (:chat_id, :name, CAST(:language_code AS text))
ON CONFLICT (chat_id) DO UPDATE
SET name = excluded.name, language_code = excluded.language_code
WHERE (p.name, p.language_code) IS DISTINCT FROM (excluded.name, excluded.language_code)
RETURNING chat_id
"""

BACKGROUND = f"""
WITH {CLOCK}
SELECT clock.now, p.name, p.language_code
FROM clock LEFT JOIN people p ON p.chat_id = :chat_id
"""


@verb
async def keep_person(db: Database, chat_id: int, person: Person) -> bool:
    """Keep who writes in a chat; False if that was known."""
    given = {"chat_id": chat_id, "name": person.name, "language_code": person.language_code}
    return await db.fetch_one(KEEP, given) is not None


@verb
async def background_of(db: Database, chat_id: int, *, now: datetime | None = None) -> Background:
    """Who writes in the chat, and what time it is."""
    [row] = await db.fetch(BACKGROUND, {"chat_id": chat_id, "now": now})
    person = None if row.name is None else Person(row.name, row.language_code)
    return Background(row.now, person)
