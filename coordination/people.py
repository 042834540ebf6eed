"""Whom the bot talks to."""

from storage.database import Database
from storage.people import keep_person
from storage.records import Person

MOST_KNOWN = 10_000


class People:
    """Keeps what is known of people; asks the database only about news."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[int, Person] = {}

    async def meet(self, chat_id: int, person: Person) -> None:
        """Remember who writes in a chat.

        Raises:
            Unavailable: the database is away; ask again.
        """
        if self._known.get(chat_id) == person:
            return
        await keep_person(self._db, chat_id, person)
        if len(self._known) >= MOST_KNOWN:
            self._known.pop(next(iter(self._known)))
        self._known[chat_id] = person
