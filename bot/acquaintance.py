"""Who writes: noted when it is news, so that most messages cost no statement more."""

from aiogram.types import User

from storage.database import Database, Unavailable
from storage.people import note_person, person

MOST_REMEMBERED = 10_000
LONGEST_NAME = 64


class Acquaintance:
    """Keeps names and languages, for when the bot itself has something to say."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[int, tuple[str, str | None]] = {}

    async def meet(self, chat_id: int, user: User) -> None:
        """Note who writes in that private chat.

        Raises:
            Unavailable: the database is away; ask again.
        """
        # On one line, whatever somebody calls themselves: the model is told.
        seen = (" ".join(user.first_name.split())[:LONGEST_NAME], user.language_code)
        if self._known.get(chat_id) == seen:
            return
        await note_person(self._db, chat_id, name=seen[0], language=seen[1])
        if len(self._known) >= MOST_REMEMBERED:
            self._known.clear()
        self._known[chat_id] = seen

    async def want_streaming(self, chat_id: int) -> bool:
        """Whether they want to see answers while these are written; most never said."""
        try:
            return (await person(self._db, chat_id)).wants_streaming is not False
        except Unavailable:
            return True

    def forget(self, chat_id: int) -> None:
        """The person is a stranger again."""
        self._known.pop(chat_id, None)
