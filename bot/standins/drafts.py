"""Drafts: previews of a message that the bot is still writing, in private chats."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.standins.chats import Chat, Chats
from bot.standins.checks import check_length, check_reachable, known_chat, marked_text
from bot.standins.happenings import Feed
from bot.standins.news import News
from bot.standins.rich import checked_rich
from bot.standins.wire import ApiError, flag, integer

_SHOWN_SECONDS = 30.0
_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Draft:
    """One preview; an empty text shows "Thinking…". `at` is in monotonic seconds.

    `rich` is the InputRichMessage of sendRichMessageDraft as the bot gave it, and `text` its
    source then.
    """

    chat_id: int
    thread_id: int
    draft_id: int
    text: str
    entities: tuple[Mapping[str, Any], ...]
    rich: Mapping[str, Any] | None
    can_stop: bool
    keep_on_stop: bool
    method: str
    at: float


class Drafts:
    """At most one draft shows in a chat: the next, a message or time takes it away."""

    def __init__(self, chats: Chats, feed: Feed) -> None:
        self._chats = chats
        self._feed = feed
        self._news = News()
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self.written: deque[Draft] = deque(maxlen=_KEPT)
        self.shown: dict[int, Draft] = {}
        self.seconds = _SHOWN_SECONDS

    def write(self, params: Mapping[str, str]) -> None:
        """sendMessageDraft."""
        text, entities = marked_text(params, "text", "entities")
        chat = self._private_chat(params)
        check_length(text)
        self._show(_draft(chat, "sendMessageDraft", params, text, entities))

    def write_rich(self, params: Mapping[str, str]) -> None:
        """sendRichMessageDraft."""
        rich = checked_rich(params, may_be_empty=True)
        chat = self._private_chat(params)
        self._show(_draft(chat, "sendRichMessageDraft", params, rich.text, [], rich.given))

    def stop(self, chat_id: int) -> Draft:
        """Let the person press stop; the button works once.

        Raises:
            LookupError: no draft with such a button shows.
        """
        draft = self.shown.get(chat_id)
        if draft is None or not draft.can_stop:
            raise LookupError(f"chat {chat_id} shows no draft with a stop button")
        if draft.keep_on_stop:
            self.shown[chat_id] = replace(draft, can_stop=False)
            self._feed.tell("draft", chat_id, draft_detail(self.shown[chat_id]))
        else:
            self.forget(chat_id)
        return draft

    def forget(self, chat_id: int) -> None:
        """Take the chat's draft away, if one shows."""
        timer = self._timers.pop(chat_id, None)
        if timer is not None:
            timer.cancel()
        if self.shown.pop(chat_id, None) is not None:
            self._feed.tell("draft", chat_id, {"draft": None})

    async def wait_for(self, chat_id: int, count: int, seconds: float) -> list[Draft]:
        """Return the chat's drafts as soon as there were at least `count`."""

        def written() -> list[Draft]:
            return [draft for draft in self.written if draft.chat_id == chat_id]

        await self._news.wait_until(
            lambda: len(written()) >= count,
            seconds,
            lambda: f"chat {chat_id} got {len(written())} of {count} drafts in {seconds} s",
        )
        return written()

    def _private_chat(self, params: Mapping[str, str]) -> Chat:
        chat = known_chat(self._chats, params)
        if chat.chat_id < 0:
            raise ApiError(400, "Bad Request: TEXTDRAFT_PEER_INVALID")
        check_reachable(chat)
        if integer(params, "draft_id") == 0:
            raise ApiError(400, "Bad Request: RANDOM_ID_INVALID")
        return chat

    def _show(self, draft: Draft) -> None:
        chat_id = draft.chat_id
        if chat_id in self._timers:
            self._timers[chat_id].cancel()
        loop = asyncio.get_running_loop()
        self._timers[chat_id] = loop.call_later(self.seconds, partial(self.forget, chat_id))
        self.shown[chat_id] = draft
        self.written.append(draft)
        self._feed.tell("draft", chat_id, draft_detail(draft))
        self._news.tell()


def draft_detail(draft: Draft | None) -> dict[str, Any]:
    """A draft as the page receives it; None: there is none."""
    if draft is None:
        return {"draft": None}
    return {
        "draft": {
            "draft_id": draft.draft_id,
            "text": draft.text,
            "entities": list(draft.entities),
            "rich": draft.rich,
            "can_stop": draft.can_stop,
        }
    }


def _draft(
    chat: Chat,
    method: str,
    params: Mapping[str, str],
    text: str,
    entities: list[dict[str, Any]],
    rich: Mapping[str, Any] | None = None,
) -> Draft:
    return Draft(
        chat_id=chat.chat_id,
        thread_id=integer(params, "message_thread_id"),
        draft_id=integer(params, "draft_id"),
        text=text,
        entities=tuple(entities),
        rich=rich,
        can_stop=flag(params, "can_stop"),
        keep_on_stop=flag(params, "keep_on_stop"),
        method=method,
        at=time.monotonic(),
    )
