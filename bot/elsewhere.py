"""Groups and channels: told once that the bot answers private chats only, then ignored."""

import asyncio

import structlog
from aiogram import Bot

from bot.words import Words
from coordination.patience import until_available
from storage import edge
from storage.database import Database

log = structlog.get_logger(__name__)


class Elsewhere:
    """Speaks to each group or channel at most once, without holding up the updates behind it."""

    def __init__(self, db: Database, bot: Bot, words: Words) -> None:
        self._db = db
        self._bot = bot
        self._words = words
        self._speaking: set[asyncio.Task[None]] = set()

    async def tell(self, chat_id: int, language: str | None) -> None:
        """Say why there will be no answer, if that was never said in this chat."""
        if await until_available(lambda: edge.tell_once(self._db, chat_id)):
            task = asyncio.create_task(self._say(chat_id, language))
            self._speaking.add(task)
            task.add_done_callback(self._speaking.discard)

    async def _say(self, chat_id: int, language: str | None) -> None:
        try:
            await self._bot.send_message(chat_id, self._words.say("only-private", language))
        except Exception as error:  # noqa: BLE001 (a notice is a courtesy)
            log.info("notice_not_sent", error=type(error).__name__)
