"""What is seen of an answer while it is being written: a draft, or "typing…" at least."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic

import structlog
from aiogram import Bot
from aiogram.enums import ChatAction
from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramNotFound,
    TelegramRetryAfter,
)
from aiogram.methods import SendMessageDraft, SendRichMessageDraft, TelegramMethod
from aiogram.types import InputRichMessage

from bot.refusals import knows_no_such_method
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

# An answer that comes at once needs neither.
BEFORE_SHOWING_SECONDS = 0.2
# Telegram clears a chat action after 5 seconds: https://core.telegram.org/bots/api#sendchataction
TYPING_SECONDS = 4.0
# A draft is seen for 30 seconds: https://core.telegram.org/bots/api#sendmessagedraft
DRAFT_SECONDS = 20.0
PACE_SECONDS, SLOWEST_PACE_SECONDS = 0.7, 10.0
DRAFT_ID = 1
"""One for each conversation, so that the draft of the next run replaces that of a dropped one."""
LONGEST_DRAFT = 4096
# For all chats together. A bot may send about 30 messages a second, and replies go first:
# https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
SKETCHES_A_SECOND = 20
REQUEST_SECONDS = 5


WantedIn = Callable[[int], Awaitable[bool]]
"""Whether drafts are wanted in that chat."""


async def everywhere(_chat_id: int) -> bool:
    """Where nobody was asked."""
    return True


class Turns:
    """So many a second, in the order in which they were asked for."""

    def __init__(self, a_second: float = SKETCHES_A_SECOND) -> None:
        self._pause = 1 / a_second
        self._next_at = 0.0
        self._one_by_one = asyncio.Lock()

    async def wait(self) -> None:
        """Return when it is the caller's turn; who is cancelled meanwhile has taken none."""
        async with self._one_by_one:
            await asyncio.sleep(self._next_at - monotonic())
            self._next_at = monotonic() + self._pause


@dataclass
class Streaming:
    """Whether drafts are shown by this process, and as what the server takes them."""

    is_wanted: bool
    is_rich: bool = True
    is_wanted_in: WantedIn = everywhere
    turns: Turns = field(default_factory=Turns)


class Sketch:
    """The draft of one run. Nobody waits for it: the last of it may be still on its way."""

    def __init__(self, bot: Bot, key: ConversationKey, stream: Streaming) -> None:
        self._bot = bot
        self._key = key
        self._stream = stream
        self._takes_rich = self._takes_drafts = True
        self._text = ""
        self._shown: str | None = None
        self._pace = PACE_SECONDS
        self._news = asyncio.Event()

    def show(self, text: str) -> None:
        """Note how far the answer is; the next draft shows it."""
        self._text = text
        self._news.set()

    async def keep_up(self) -> None:
        """Show what there is, at a pace that Telegram bears, until cancelled."""
        await asyncio.sleep(BEFORE_SHOWING_SECONDS)
        await self._stream.turns.wait()
        is_wanted_here = await self._stream.is_wanted_in(self._key.chat_id)
        while True:
            drafts = is_wanted_here and self._shows_drafts
            await asyncio.sleep(await self._draft() if drafts else await self._type())
            if drafts and self._shows_drafts:
                await self._wait_for_news()
            await self._stream.turns.wait()

    @property
    def _shows_drafts(self) -> bool:
        return self._stream.is_wanted and self._takes_drafts

    async def _wait_for_news(self) -> None:
        if self._text != (self._shown or ""):
            return
        self._news.clear()
        try:
            async with asyncio.timeout(DRAFT_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass  # what is seen would fade

    async def _draft(self) -> float:
        text = self._text
        request = self._request(text)
        try:
            await self._bot(request, request_timeout=REQUEST_SECONDS)
        except TelegramRetryAfter as error:
            self._pace = min(2 * self._pace, SLOWEST_PACE_SECONDS)
            return float(error.retry_after)
        except TelegramAPIError as error:
            return self._refused(error, was_rich=isinstance(request, SendRichMessageDraft))
        except Exception as error:  # noqa: BLE001 (a draft is a courtesy)
            log.debug("draft_failed", error=type(error).__name__)
            return self._pace
        was_empty, self._shown = not self._shown, text
        # The first words are shown at once; from then on there is a pace.
        return 0.0 if was_empty and not text else self._pace

    def _request(self, text: str) -> TelegramMethod[bool]:
        chat_id, thread = self._key.chat_id, self._key.thread_id or None
        if text.strip() and self._stream.is_rich and self._takes_rich:
            return SendRichMessageDraft(
                chat_id=chat_id,
                draft_id=DRAFT_ID,
                rich_message=InputRichMessage(markdown=text),
                message_thread_id=thread,
                can_stop=True,
                keep_on_stop=True,
            )
        return SendMessageDraft(
            chat_id=chat_id,
            draft_id=DRAFT_ID,
            text=_end_of(text),
            message_thread_id=thread,
            can_stop=True,
            keep_on_stop=True,
        )

    def _refused(self, error: TelegramAPIError, *, was_rich: bool) -> float:
        if not isinstance(error, TelegramBadRequest | TelegramNotFound):
            log.debug("draft_failed", error=type(error).__name__)
            return SLOWEST_PACE_SECONDS
        # The next simpler thing will do: from now on if the server is old, for this answer only
        # if it does not like the text.
        is_old = knows_no_such_method(error)
        if was_rich:
            self._takes_rich = False
            self._stream.is_rich = self._stream.is_rich and not is_old
        else:
            self._takes_drafts = False
            self._stream.is_wanted = self._stream.is_wanted and not is_old
        log.info("drafts_refused", left="plain" if was_rich else "typing")
        return 0.0

    async def _type(self) -> float:
        try:
            await self._bot.send_chat_action(
                self._key.chat_id,
                ChatAction.TYPING,
                message_thread_id=self._key.thread_id or None,
            )
        except TelegramRetryAfter as error:
            return float(error.retry_after)
        except Exception as error:  # noqa: BLE001 (typing is a courtesy)
            log.debug("typing_failed", error=type(error).__name__)
        return TYPING_SECONDS


def _end_of(text: str) -> str:
    """The newest words of a draft that is too long."""
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * LONGEST_DRAFT:
        return text
    return "…" + units[-2 * (LONGEST_DRAFT - 1) :].decode("utf-16-le", "ignore")
