"""What the bot says beside its replies: answers to commands, and notices.

Nobody waits for it, and what fails is not said.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from aiogram import Bot
from aiogram.exceptions import TelegramRetryAfter
from aiogram.methods import SendMessage, TelegramMethod

from storage.records import ConversationKey

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30


class Speaker:
    """Sends beside the updates, so that a slow request holds none of them up."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._sending: set[asyncio.Task[None]] = set()

    def send(self, *methods: TelegramMethod[Any]) -> None:
        """Send them soon, in order, once more if Telegram says that it was too early."""
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
        try:
            await self._once(method)
        except TelegramRetryAfter as error:
            await asyncio.sleep(error.retry_after)
            try:
                await self._once(method)
            except Exception as again:  # noqa: BLE001 (as below)
                _not_sent(method, again)
        except Exception as error:  # noqa: BLE001 (the effect of the command is there all the same)
            _not_sent(method, error)

    async def _once(self, method: TelegramMethod[Any]) -> None:
        await self._bot(method, request_timeout=REQUEST_SECONDS)


def _not_sent(method: TelegramMethod[Any], error: Exception) -> None:
    log.info("not_said", method=method.__api_method__, error=type(error).__name__)
