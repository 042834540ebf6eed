"""What the bot says of itself, in the language of whoever reads it."""

from coordination.patience import until_available
from coordination.ports import Words
from storage.database import Database
from storage.people import person
from storage.records import ConversationKey


class Voice:
    """Asks for the language at the moment of speaking: it may have been chosen since."""

    def __init__(self, db: Database, words: Words) -> None:
        self._db = db
        self._words = words

    async def apology(self, key: ConversationKey) -> str:
        """Said when there is no answer."""
        return self._words.apology(await self._language(key))

    async def stopped(self, key: ConversationKey) -> str:
        """Said in place of an answer that was stopped before its first word."""
        return self._words.stopped(await self._language(key))

    async def please_wait(self, key: ConversationKey) -> str:
        """Said once, when the answer has to wait for the model."""
        return self._words.please_wait(await self._language(key))

    async def _language(self, key: ConversationKey) -> str | None:
        return (await until_available(lambda: person(self._db, key.chat_id))).speaks
