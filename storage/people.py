"""People: the language they speak, and what they chose."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK
from storage.text import storable
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class Background:
    """What is known before anything is said."""

    now: datetime
    name: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """Who writes in a private chat."""

    language: str | None = None
    """As Telegram says."""
    chosen_language: str | None = None
    wants_streaming: bool | None = None
    """None: as the operator has set it."""
    start_payload: str | None = None

    @property
    def speaks(self) -> str | None:
        """The language in which to speak to them."""
        return self.chosen_language or self.language


NOTE = f"""
WITH {CLOCK}
INSERT INTO people AS p (chat_id, name, language, updated_at)
SELECT :chat_id, :name, :language, clock.now FROM clock
ON CONFLICT (chat_id) DO UPDATE
SET name = excluded.name, language = excluded.language, updated_at = excluded.updated_at
WHERE (p.name, p.language) IS DISTINCT FROM (excluded.name, excluded.language)
RETURNING chat_id
"""

PERSON = """
SELECT language, chosen_language, wants_streaming, start_payload FROM people
WHERE chat_id = :chat_id
"""

BACKGROUND = f"""
WITH {CLOCK}
SELECT clock.now, p.name, COALESCE(p.chosen_language, p.language) AS language
FROM clock LEFT JOIN people p ON p.chat_id = :chat_id
"""

CHOOSE_LANGUAGE = f"""
WITH {CLOCK}
UPDATE people SET chosen_language = CAST(:chosen AS text), updated_at = clock.now FROM clock
WHERE chat_id = :chat_id AND chosen_language IS DISTINCT FROM CAST(:chosen AS text)
RETURNING chat_id
"""

CHOOSE_STREAMING = f"""
WITH {CLOCK}
UPDATE people SET wants_streaming = CAST(:chosen AS boolean), updated_at = clock.now FROM clock
WHERE chat_id = :chat_id AND wants_streaming IS DISTINCT FROM CAST(:chosen AS boolean)
RETURNING chat_id
"""

KEEP_PAYLOAD = f"""
WITH {CLOCK}
UPDATE people SET start_payload = CAST(:payload AS text), updated_at = clock.now FROM clock
WHERE chat_id = :chat_id AND start_payload IS DISTINCT FROM CAST(:payload AS text)
RETURNING chat_id
"""


@verb
async def note_person(
    db: Database,
    chat_id: int,
    *,
    name: str | None,
    language: str | None,
    now: datetime | None = None,
) -> None:
    """Keep what Telegram says of the person; the same again changes nothing."""
    given = {"chat_id": chat_id, "name": _kept(name), "language": _kept(language), "now": now}
    await db.fetch(NOTE, given)


@verb
async def background_of(db: Database, chat_id: int, *, now: datetime | None = None) -> Background:
    """Who writes in the chat, and what time it is."""
    [row] = await db.fetch(BACKGROUND, {"chat_id": chat_id, "now": now})
    return Background(row.now, row.name, row.language)


@verb
async def person(db: Database, chat_id: int) -> Person:
    """What is known of the person; of a stranger nothing."""
    row = await db.fetch_one(PERSON, {"chat_id": chat_id})
    return Person() if row is None else Person(*row)


@verb
async def choose_language(
    db: Database, chat_id: int, chosen: str | None, *, now: datetime | None = None
) -> None:
    """Speak that language; None: the one that Telegram names."""
    await db.fetch(CHOOSE_LANGUAGE, {"chat_id": chat_id, "chosen": chosen, "now": now})


@verb
async def choose_streaming(
    db: Database, chat_id: int, chosen: bool, *, now: datetime | None = None
) -> None:
    """Show answers while they are being written, or not."""
    await db.fetch(CHOOSE_STREAMING, {"chat_id": chat_id, "chosen": chosen, "now": now})


@verb
async def keep_payload(
    db: Database, chat_id: int, payload: str, *, now: datetime | None = None
) -> None:
    """Keep what the link said by which the person came."""
    await db.fetch(KEEP_PAYLOAD, {"chat_id": chat_id, "payload": storable(payload), "now": now})


def _kept(text: str | None) -> str | None:
    return None if text is None else storable(text)
