"""What the bot says beside its replies: answers to commands, and notices.

Nobody waits for it, and what fails is not said.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from aiogram import Bot
from aiogram.methods import SendMessage, TelegramMethod

from bot.courier import fate
from bot.session import Attempt, current_attempt
from coordination.ports import NotDelivered, NotNow
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30
PAUSE_SECONDS = 1.0
"""Before it is said once more, unless Telegram asks for another pause."""


class Speaker:
    """Sends beside the updates, so that a slow request holds none of them up."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._sending: set[asyncio.Task[None]] = set()

    def send(self, *methods: TelegramMethod[Any]) -> None:
        """Send them soon, in order; once more what Telegram surely has not."""
        task = asyncio.create_task(self._send_all(methods))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def say(self, key: ConversationKey, text: str) -> None:
        """Send these words soon."""
        thread_id = key.thread_id or None
        self.send(SendMessage(chat_id=key.chat_id, text=text, message_thread_id=thread_id))

    async def close(self) -> None:
        """Say nothing more."""
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)

    async def _send_all(self, methods: Sequence[TelegramMethod[Any]]) -> None:
        for method in methods:
            await self._send(method)

    async def _send(self, method: TelegramMethod[Any]) -> None:
        failed = await self._once(method)
        if isinstance(failed, NotNow):
            await asyncio.sleep(PAUSE_SECONDS if failed.retry_after is None else failed.retry_after)
            failed = await self._once(method)
        if failed:
            log.info("not_said", method=method.__api_method__, reason=failed.reason)

    async def _once(self, method: TelegramMethod[Any]) -> NotDelivered | None:
        attempt = Attempt(may_go=lambda: True)
        token = current_attempt.set(attempt)
        try:
            await self._bot(method, request_timeout=REQUEST_SECONDS)
        except Exception as error:  # noqa: BLE001 (the effect of the command is there all the same)
            return fate(error, "plain", written=attempt.written)
        finally:
            current_attempt.reset(token)
        return None
