"""[8] Parts of replies go to Telegram, and its answers become deliveries."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from aiogram import Bot
from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramRetryAfter,
)

from bot.session import Attempt, current_attempt
from bot.sketch import Sketch, Streaming, WantedIn, everywhere
from coordination.ports import Delivered, Delivery, NotNow, Show, Unconfirmed, Unreachable
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30

REFUSED = (
    TelegramForbiddenError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramMigrateToChat,
)


class TelegramCourier:
    """Sends plain text, each part once per call, and says what is known of its fate."""

    def __init__(
        self, bot: Bot, *, streaming: bool = False, is_wanted_in: WantedIn = everywhere
    ) -> None:
        self._bot = bot
        self._stream = Streaming(is_wanted=streaming, is_wanted_in=is_wanted_in)
        self._sketching: set[asyncio.Task[None]] = set()

    async def send(self, key: ConversationKey, text: str, may_go: Callable[[], bool]) -> Delivery:
        """Send one part; never raises for what Telegram or the network do."""
        attempt = Attempt(may_go)
        token = current_attempt.set(attempt)
        try:
            message = await self._bot.send_message(
                key.chat_id,
                text,
                message_thread_id=key.thread_id or None,
                request_timeout=REQUEST_SECONDS,
            )
        except Exception as error:  # noqa: BLE001 (each kind is a delivery of its own)
            return fate(error, written=attempt.written)
        finally:
            current_attempt.reset(token)
        return Delivered(message.message_id)

    @contextmanager
    def composing(self, key: ConversationKey) -> Iterator[Show]:
        """Show the draft, or "typing…", while the block runs; its failures delay nothing."""
        sketch = Sketch(self._bot, key, self._stream)
        task = asyncio.create_task(sketch.keep_up())
        self._sketching.add(task)
        task.add_done_callback(self._sketching.discard)
        try:
            yield sketch.show
        finally:
            task.cancel()


def fate(error: Exception, *, written: bool) -> Delivery:
    """What a failed request means for the part it carried."""
    if isinstance(error, TelegramRetryAfter):
        return NotNow("too many requests", error.retry_after)
    if isinstance(error, REFUSED):
        return Unreachable(error.message)
    if isinstance(error, TelegramNetworkError) or not isinstance(error, TelegramAPIError):
        reason = type(error).__name__
        return Unconfirmed(reason) if written else NotNow(reason)
    return NotNow(type(error).__name__)
