"""[8] Parts of replies go to Telegram, and its answers become deliveries."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

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
from aiogram.methods import SendMessage, SendRichMessage
from aiogram.types import InputRichMessage

from bot.refusals import in_plain_words, is_about_formatting, knows_no_such_method
from bot.rich.entities import render
from bot.session import Attempt, current_attempt
from bot.sketch import Sketch, Streaming, WantedIn, everywhere
from coordination.ports import (
    Delivered,
    Delivery,
    NotDelivered,
    NotNow,
    Show,
    Unconfirmed,
    Unformatted,
    Unreachable,
)
from storage.records import ConversationKey, Format

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 30

REFUSED = (
    TelegramForbiddenError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramMigrateToChat,
)


class TelegramCourier:
    """Sends text, each part once per call, and says what is known of its fate."""

    def __init__(
        self,
        bot: Bot,
        best_format: Format = "rich",
        *,
        streaming: bool = False,
        is_wanted_in: WantedIn = everywhere,
    ) -> None:
        self._bot = bot
        self._best_format: Format = best_format
        self._stream = Streaming(
            is_wanted=streaming, is_rich=best_format == "rich", is_wanted_in=is_wanted_in
        )
        self._sketching: set[asyncio.Task[None]] = set()

    @property
    def best_format(self) -> Format:
        """The one in which a reply is tried first: what the server is known to take."""
        return self._best_format

    async def send(
        self, key: ConversationKey, text: str, how: Format, may_go: Callable[[], bool]
    ) -> Delivery:
        """Send one part; never raises for what Telegram or the network do."""
        try:
            request = _request(key, text, how)
        except Exception as error:
            log.exception("not_rendered", format=how)
            return Unformatted(type(error).__name__)
        attempt = Attempt(may_go)
        token = current_attempt.set(attempt)
        try:
            message = await self._bot(request, request_timeout=REQUEST_SECONDS)
        except Exception as error:  # noqa: BLE001 (each kind is a delivery of its own)
            if how == "rich" and self._best_format == "rich" and knows_no_such_method(error):
                log.warning("rich_messages_unknown_to_server")
                self._best_format = "entities"
            return fate(error, how, written=attempt.written)
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


def _request(key: ConversationKey, text: str, how: Format) -> SendMessage | SendRichMessage:
    thread_id = key.thread_id or None
    match how:
        case "rich":
            words = InputRichMessage(markdown=text)
            return SendRichMessage(
                chat_id=key.chat_id, rich_message=words, message_thread_id=thread_id
            )
        case "entities":
            shown, entities = render(text)
            return SendMessage(
                chat_id=key.chat_id, text=shown, entities=entities, message_thread_id=thread_id
            )
        case "plain":
            return SendMessage(chat_id=key.chat_id, text=text, message_thread_id=thread_id)
    assert_never(how)


def fate(error: Exception, how: Format, *, written: bool) -> NotDelivered:
    """What a failed request means for the part it carried."""
    if isinstance(error, TelegramRetryAfter):
        return NotNow("too many requests", error.retry_after)
    if how != "plain" and isinstance(error, TelegramAPIError) and is_about_formatting(error):
        return Unformatted(in_plain_words(error.message))
    if isinstance(error, REFUSED):
        return Unreachable(in_plain_words(error.message))
    if isinstance(error, TelegramNetworkError) or not isinstance(error, TelegramAPIError):
        reason = type(error).__name__
        return Unconfirmed(reason) if written else NotNow(reason)
    return NotNow(type(error).__name__)
