"""[1] Polling: an update is confirmed to Telegram only after it was handled for good."""

import asyncio
import reprlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any

import structlog
from aiogram import Bot, Dispatcher
from aiogram.exceptions import (
    TelegramAPIError,
    TelegramConflictError,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import GetUpdates
from aiogram.types import Update
from pydantic import ValidationError

from bot.raw_updates import as_json, chat_of, next_offset, update_id_of
from coordination.metrics import RETRIES
from coordination.patience import RetryPolicy, until_available
from storage.steps import FaultPoint, no_fault, step

log = structlog.get_logger(__name__)

LONG_POLL_SECONDS = 30
ANSWER_SECONDS = 15
MOST_UPDATES = 100  # https://core.telegram.org/bots/api#getupdates
POLLING = RetryPolicy(base=0.5, cap=10.0)
MOMENT_SECONDS = 0.1

MOST_WORDS = 2000
"""Of an error: one about a list of a thousand strange things names each of them."""

SetAside = Callable[[str, str], Awaitable[None]]
"""Keeps an update (as JSON) that could not be handled, with the error."""

ADVICE: dict[type[Exception], str] = {
    TelegramConflictError: "another program polls this token, or a webhook is set: stop it, "
    "or call deleteWebhook",
    TelegramUnauthorizedError: "Telegram refuses TELEGRAM_BOT_TOKEN: was it revoked?",
}


class GetRawUpdates(GetUpdates):
    """getUpdates whose updates are validated one by one, so that a strange one harms no other."""

    __returning__ = list[Any]


class Poller:
    """Fetches updates, has each handled, and only then asks for the next."""

    def __init__(
        self,
        bot: Bot,
        routes: Dispatcher,
        set_aside: SetAside,
        *,
        may_poll: Callable[[], bool] = lambda: True,
        at: FaultPoint = no_fault,
    ) -> None:
        self._bot = bot
        self._routes = routes
        self._set_aside = set_aside
        self._may_poll = may_poll
        self._at = at
        self._allowed = routes.resolve_used_update_types()
        self._failures = 0
        self._unconfirmed = 0
        self._kept_unconfirmed: set[int] = set()
        self.received_at: float | None = None
        """Monotonic time of the last answer to getUpdates."""

    async def poll(self, stopping: asyncio.Event) -> None:
        """Poll until `stopping` is set; what was fetched by then is still handled."""
        offset: int | None = None
        while not stopping.is_set():
            updates = await self._fetch_unless(stopping, offset)
            if updates is None:
                continue
            await self.handle_all(updates)
            offset = next_offset(updates)
            if updates:
                await self._rest_if_the_same_will_come(offset, stopping)

    async def _fetch_unless(self, stopping: asyncio.Event, offset: int | None) -> list[Any] | None:
        fetch = asyncio.ensure_future(self._fetch(offset))
        stop = asyncio.ensure_future(stopping.wait())
        try:
            await asyncio.wait({fetch, stop}, return_when=asyncio.FIRST_COMPLETED)
            return fetch.result() if fetch.done() else None
        finally:
            fetch.cancel()
            stop.cancel()

    async def _fetch(self, offset: int | None) -> list[Any] | None:
        if not self._may_poll():
            # A process that was stopped for long wakes up here: another one may be polling.
            await asyncio.sleep(MOMENT_SECONDS)
            return None
        request = GetRawUpdates(
            offset=offset,
            limit=MOST_UPDATES,
            timeout=LONG_POLL_SECONDS,
            allowed_updates=self._allowed,
        )
        try:
            async with step(self._at, "get_updates"):
                updates: Any = await self._bot(
                    request, request_timeout=LONG_POLL_SECONDS + ANSWER_SECONDS
                )
        except Exception as error:  # noqa: BLE001 (polling outlives whatever the network does)
            await self._rest_after(error)
            return None
        self._failures = 0
        self.received_at = monotonic()
        return list(updates)

    async def _rest_after(self, error: Exception) -> None:
        self._failures += 1
        RETRIES.labels("polling").inc()
        wish = float(error.retry_after) if isinstance(error, TelegramRetryAfter) else None
        pause = POLLING.delay(self._failures, wish)
        words = error.message if isinstance(error, TelegramAPIError) else type(error).__name__
        advice = ADVICE.get(type(error))
        log.warning("polling_failed", error=words, advice=advice, retry_in=round(pause, 1))
        await asyncio.sleep(pause)

    async def _rest_if_the_same_will_come(
        self, offset: int | None, stopping: asyncio.Event
    ) -> None:
        if offset is not None:
            self._unconfirmed = 0
            self._kept_unconfirmed.clear()
            return
        self._unconfirmed += 1
        with suppress(TimeoutError):
            async with asyncio.timeout(POLLING.delay(self._unconfirmed)):
                await stopping.wait()

    async def handle_all(self, updates: Sequence[Any]) -> None:
        """Handle the updates: those of one chat in order, chats side by side."""
        by_chat: dict[int | None, list[Any]] = defaultdict(list)
        for update in updates:
            by_chat[chat_of(update)].append(update)
        async with asyncio.TaskGroup() as group:
            for of_one_chat in by_chat.values():
                group.create_task(self._handle_in_order(of_one_chat))

    async def _handle_in_order(self, updates: Sequence[Any]) -> None:
        for update in updates:
            try:
                await until_available(partial(self._handle, update))
            except ValidationError as error:
                # Its own words quote the update, and so what somebody wrote.
                log.error("update_set_aside", update_id=update_id_of(update), error=_faults(error))
                await self._keep(update, _faults(error))
            except Exception as error:
                log.exception("update_set_aside", update_id=update_id_of(update))
                await self._keep(update, f"{type(error).__name__}: {error}"[:MOST_WORDS])

    async def _handle(self, raw: Any) -> None:
        update = Update.model_validate(raw, context={"bot": self._bot})
        # Asking for the kind raises for one from the future, which aiogram would only warn of.
        log.debug("update_received", kind=update.event_type)
        await self._routes.feed_update(self._bot, update)

    async def _keep(self, update: Any, error: str) -> None:
        try:
            payload = await as_json(update)
            if update_id_of(update) is None:
                # Telegram cannot be told that we have it, and may send it for ever.
                if hash(payload) in self._kept_unconfirmed:
                    return
                self._kept_unconfirmed.add(hash(payload))
            await until_available(partial(self._set_aside, payload, error))
        except Exception:
            # Nothing known comes here; one update must not stop all that come after it.
            log.exception("update_lost", update=reprlib.repr(update))


def _faults(error: ValidationError) -> str:
    """What is wrong with an update and where, without what stands there."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['type']}" for each in faults[:10])
    return f"ValidationError: {told}"[:MOST_WORDS]
