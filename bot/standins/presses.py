"""Presses of inline buttons, and how the bot answers them."""

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from bot.standins.chats import Chat, Line, message_object
from bot.standins.happenings import Feed
from bot.standins.keyboards import buttons_of
from bot.standins.news import News
from bot.standins.wire import ApiError, flag

_KEPT = 10_000
_LONGEST_ANSWER = 200
_TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
_numbers = count(4_000_000_000_000_000_000)


@dataclass(frozen=True, slots=True)
class PressAnswer:
    """What the bot let a person see after a press; `at` is in monotonic seconds."""

    query_id: str
    chat_id: int
    text: str
    show_alert: bool
    at: float


class Presses:
    """Every press waits for one answer."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._news = News()
        self._waiting: dict[str, int] = {}
        self.answers: deque[PressAnswer] = deque(maxlen=_KEPT)

    def press(self, chat: Chat, bot: Mapping[str, Any], line: Line, data: str) -> dict[str, Any]:
        """The CallbackQuery of a press.

        Raises:
            LookupError: the message has no such button.
        """
        if all(button.get("callback_data") != data for button in buttons_of(line.content)):
            raise LookupError(f"message {line.message_id} has no button with the data {data!r}")
        query_id = str(next(_numbers))
        self._waiting[query_id] = chat.chat_id
        return {
            "id": query_id,
            "from": chat.as_sender(),
            "message": message_object(chat, bot, line),
            "chat_instance": str(chat.chat_id * 1_000_003),
            "data": data,
        }

    def answer(self, params: Mapping[str, str]) -> None:
        """answerCallbackQuery."""
        query_id = params.get("callback_query_id", "")
        if len(params.get("text", "")) > _LONGEST_ANSWER:
            raise ApiError(400, "Bad Request: MESSAGE_TOO_LONG")
        chat_id = self._waiting.pop(query_id, None)
        if chat_id is None:
            raise ApiError(400, _TOO_OLD)
        answer = PressAnswer(
            query_id, chat_id, params.get("text", ""), flag(params, "show_alert"), time.monotonic()
        )
        self.answers.append(answer)
        self._feed.tell("notice", chat_id, {"text": answer.text, "alert": answer.show_alert})
        self._news.tell()

    async def wait_for_answer(self, query_id: str, seconds: float) -> PressAnswer:
        """Return the answer to a press as soon as it is there."""

        def given() -> PressAnswer | None:
            return next((each for each in self.answers if each.query_id == query_id), None)

        await self._news.wait_until(
            lambda: given() is not None, seconds, lambda: f"no answer to the press {query_id}"
        )
        found = given()
        if found is None:
            raise LookupError(f"the answer to the press {query_id} is not kept any more")
        return found
