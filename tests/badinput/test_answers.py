"""Whatever the model says, the person sees all its letters, or one apology."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bot.parts import MESSAGE_LIMIT, units
from bot.rich.limits import RICH_LIMIT
from bot.standins.faults import ModelFault, RawBody
from bot.standins.model_calls import ModelCall
from tests.badinput.answers import BLANK_ANSWERS, LONG_ANSWERS, answers, letters
from tests.support.neighbours import Neighbours, running_bot
from tests.support.said import APOLOGY
from tests.support.searching import EXAMPLES, TIMEOUT, samples
from tests.support.waiting import opened, rows_of

pytestmark = pytest.mark.timeout(TIMEOUT)

FIRST_CHAT = 3_001
MANY = int(EXAMPLES or 120)
ANSWERED = "SELECT count(*) AS chats FROM conversations WHERE inbound_seq = answered_seq"
STATES = "SELECT chat_id, state FROM runs ORDER BY chat_id, number"
"""A run may have been postponed or dropped; the last one of a chat is what became of it."""


def asked_by(messages: Sequence[Mapping[str, Any]]) -> int:
    return int(messages[-1]["content"])


async def seen_after(around: Neighbours, count: int, *, rich: bool = False) -> list[list[str]]:
    """Have so many people write; what each of them saw when all was over."""
    chats = range(FIRST_CHAT, FIRST_CHAT + count)
    async with running_bot(around.settings(rich_text=rich)):
        for chat_id in chats:
            around.telegram.say(chat_id, str(chat_id))
        await all_answered(around.database_url, count)
    states = {row.chat_id: row.state for row in await rows_of(around.database_url, STATES)}
    assert all(state in ("sent", "failed") for state in states.values())
    return [[sent.text for sent in around.seen_by(chat_id)] for chat_id in chats]


def assert_seen(answer: str, parts: Sequence[str]) -> None:
    if not letters(answer):
        assert parts == [APOLOGY]
        return
    assert letters("".join(parts)) == letters(answer)
    for part in parts:
        assert units(part) <= MESSAGE_LIMIT
        assert letters(part)


async def test_g1_every_letter_of_any_answer_is_seen(around: Neighbours) -> None:
    said = [*LONG_ANSWERS, *BLANK_ANSWERS, *samples(answers, MANY)]
    around.model.answer = lambda messages: said[asked_by(messages) - FIRST_CHAT]
    for answer, parts in zip(said, await seen_after(around, len(said)), strict=True):
        assert_seen(answer, parts)


async def test_g1_every_word_of_any_answer_is_in_the_rich_text(around: Neighbours) -> None:
    said = [*LONG_ANSWERS, *BLANK_ANSWERS, *samples(answers, MANY)]
    around.model.answer = lambda messages: said[asked_by(messages) - FIRST_CHAT]
    for answer, parts in zip(said, await seen_after(around, len(said), rich=True), strict=True):
        if letters(answer):
            assert words("".join(parts)) == words(answer)
            assert all(units(part) <= RICH_LIMIT and letters(part) for part in parts)
        else:
            assert parts == [APOLOGY]


def words(text: str) -> str:
    """What no formatting is made of."""
    return "".join(filter(str.isalnum, text))


async def test_g1_answers_that_come_in_one_piece_or_unescaped(around: Neighbours) -> None:
    said = [*samples(answers, MANY // 2), "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg", "x\ufeffy"]
    said = [
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in said
    ]

    async def hook(call: ModelCall) -> ModelFault:
        chat_id = asked_by(call.messages)
        text = said[chat_id - FIRST_CHAT]
        return RawBody(plain(text)) if chat_id % 2 else RawBody(streamed(text), 200, STREAM)

    around.model.hook = hook
    for answer, parts in zip(said, await seen_after(around, len(said)), strict=True):
        assert_seen(answer, parts)


STREAM = "text/event-stream"


def plain(text: str) -> bytes:
    choice = {"index": 0, "message": {"content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice]}, ensure_ascii=False).encode()


def streamed(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    event = json.dumps({"choices": [choice]}, ensure_ascii=False).encode()
    return b"data: %b\n\ndata: [DONE]\n\n" % event


async def all_answered(database_url: str, count: int) -> None:
    async with opened(database_url) as db:
        while (await db.fetch(ANSWERED, {}))[0].chats < count:
            await asyncio.sleep(0.1)
