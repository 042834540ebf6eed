"""The Bot API stand-in takes and refuses calls as the real server does, and can be made to fail."""

import asyncio
from typing import Any

import aiohttp
import pytest
from aiogram import Bot
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
)
from aiogram.types import ReplyParameters

from bot.standins.faults import Call, DropAfter, DropBefore, Fault, Refuse
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, TOKEN


@pytest.fixture
def telegram(telegram: TelegramStandIn) -> TelegramStandIn:
    """Ada has said hello to it."""
    telegram.say(ADA, "hello", first_name="Ada")
    return telegram


def fail_with(telegram: TelegramStandIn, fault: Fault) -> None:
    async def hook(_call: Call) -> Fault:
        return fault

    telegram.hook = hook


async def test_sent_message_comes_back_and_is_seen(telegram: TelegramStandIn, bot: Bot) -> None:
    asked = telegram.say(ADA, "a question", message_thread_id=3)
    message = await bot.send_message(
        ADA,
        " an answer\r\n",
        message_thread_id=3,
        reply_parameters=ReplyParameters(message_id=asked),
    )
    assert message.reply_to_message is not None
    assert message.from_user is not None
    assert (message.text, message.message_id) == ("an answer", asked + 1)
    assert (message.from_user.id, message.from_user.is_bot) == (4242, True)
    assert message.reply_to_message.text == "a question"
    (seen,) = telegram.sent
    assert (seen.chat_id, seen.thread_id, seen.message_id) == (ADA, 3, message.message_id)
    assert (seen.text, seen.method) == ("an answer", "sendMessage")


@pytest.mark.parametrize(
    ("chat_id", "text", "description"),
    [
        (8, "hello", "Bad Request: chat not found"),
        (ADA, "", "Bad Request: message text is empty"),
        (ADA, " \n ", "Bad Request: text must be non-empty"),
        (ADA, "a" * 4097, "Bad Request: message is too long"),
        (ADA, "😀" * 2049, "Bad Request: message is too long"),
    ],
)
async def test_what_telegram_refuses(
    telegram: TelegramStandIn, bot: Bot, chat_id: int, text: str, description: str
) -> None:
    with pytest.raises(TelegramBadRequest, match=description):
        await bot.send_message(chat_id, text)
    assert telegram.sent == []


@pytest.mark.parametrize("text", ["a" * 4096, "😀" * 2048, f"\n{'a' * 4096} "])
async def test_longest_text(bot: Bot, text: str) -> None:
    assert (await bot.send_message(ADA, text)).text == text.strip()


async def test_unreachable_people(telegram: TelegramStandIn, bot: Bot) -> None:
    telegram.block(ADA)
    with pytest.raises(TelegramForbiddenError, match="Forbidden: bot was blocked by the user"):
        await bot.send_message(ADA, "hello?")
    with pytest.raises(TelegramForbiddenError):
        await bot.send_chat_action(ADA, "typing")
    telegram.say(ADA, "who writes takes the block back")
    await bot.send_message(ADA, "hello!")
    telegram.delete_user(ADA)
    with pytest.raises(TelegramForbiddenError, match="Forbidden: user is deactivated"):
        await bot.send_message(ADA, "hello?")


async def test_edit_and_delete(telegram: TelegramStandIn, bot: Bot) -> None:
    theirs = telegram.say(ADA, "mine")
    sent = await bot.send_message(ADA, "one")
    edited = await bot.edit_message_text("two", chat_id=ADA, message_id=sent.message_id)
    assert isinstance(edited, type(sent))
    assert (edited.text, edited.edit_date is None) == ("two", False)
    for message_id, text, complaint in (
        (sent.message_id, "two", "message is not modified"),
        (sent.message_id + 9, "three", "message to edit not found"),
        (theirs, "three", "message can't be edited"),
    ):
        with pytest.raises(TelegramBadRequest, match=complaint):
            await bot.edit_message_text(text, chat_id=ADA, message_id=message_id)
    assert await bot.delete_message(ADA, sent.message_id)
    with pytest.raises(TelegramBadRequest, match="message to delete not found"):
        await bot.delete_message(ADA, sent.message_id)
    methods = [seen.method for seen in telegram.sent]
    assert methods == ["sendMessage", "editMessageText", "deleteMessage"]


async def test_chat_action(telegram: TelegramStandIn, bot: Bot) -> None:
    await bot.send_chat_action(ADA, "typing")
    assert [(act.chat_id, act.action) for act in telegram.actions] == [(ADA, "typing")]
    with pytest.raises(TelegramBadRequest, match="wrong parameter action in request"):
        await bot.send_chat_action(ADA, "yawning")


@pytest.mark.parametrize(
    "sending",
    [
        {"params": {"chat_id": "7", "text": "hé"}},
        {"data": {"chat_id": "7", "text": "hé"}},
        {"json": {"chat_id": 7, "text": "hé", "entities": None}},
        {"data": aiohttp.FormData({"chat_id": "7", "text": "hé"}, default_to_multipart=True)},
    ],
)
async def test_every_way_to_pass_parameters(
    telegram: TelegramStandIn, sending: dict[str, Any]
) -> None:
    url = f"{telegram.url}/bot{TOKEN}/SENDMessage"
    async with aiohttp.ClientSession() as http, http.post(url, **sending) as response:
        answer = await response.json()
    assert answer["ok"]
    assert [seen.text for seen in telegram.sent] == ["hé"]


@pytest.mark.parametrize(
    ("path", "status", "description"),
    [
        (f"/bot{TOKEN}/sendKiss", 404, "Not Found: method not found"),
        ("/botsecret/getMe", 401, "Unauthorized: invalid token specified"),
        ("/elsewhere", 404, "Not Found"),
    ],
)
async def test_calls_that_lead_nowhere(
    telegram: TelegramStandIn, path: str, status: int, description: str
) -> None:
    async with aiohttp.ClientSession() as http, http.get(telegram.url + path) as response:
        answer = await response.json()
    expected = {"ok": False, "error_code": status, "description": description}
    assert (response.status, answer) == (status, expected)


async def test_too_many_requests(telegram: TelegramStandIn, bot: Bot) -> None:
    fail_with(telegram, Refuse(429, "Too Many Requests: retry after 5", retry_after=5))
    with pytest.raises(TelegramRetryAfter) as refused:
        await bot.send_message(ADA, "hello")
    assert refused.value.retry_after == 5


async def test_answer_that_is_not_json(telegram: TelegramStandIn, bot: Bot) -> None:
    fail_with(telegram, Refuse(502, "", raw_body=b"<html>Bad Gateway</html>"))
    with pytest.raises(ClientDecodeError, match="Bad Gateway"):
        await bot.send_message(ADA, "hello")
    assert telegram.sent == []


@pytest.mark.parametrize(("fault", "seen"), [(DropBefore(), 0), (DropAfter(), 1)])
async def test_dropped_connection(
    telegram: TelegramStandIn, bot: Bot, fault: Fault, seen: int
) -> None:
    fail_with(telegram, fault)
    with pytest.raises(TelegramNetworkError):
        await bot.send_message(ADA, "hello")
    assert len(telegram.sent) == seen


class Gate:
    """A hook that holds every call until it is opened."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, _call: Call) -> None:
        self.reached.set()
        await self.opened.wait()


async def test_call_is_held_at_a_gate(telegram: TelegramStandIn, bot: Bot) -> None:
    telegram.hook = gate = Gate()
    sending = asyncio.create_task(bot.send_message(ADA, "hello"))
    await gate.reached.wait()
    assert telegram.sent == []
    gate.opened.set()
    await sending
    assert [call.method for call in telegram.calls] == ["sendMessage"]


async def test_client_that_gives_up_does_not_stop_the_send(
    telegram: TelegramStandIn, bot: Bot
) -> None:
    telegram.hook = gate = Gate()
    sending = asyncio.create_task(bot.send_message(ADA, "hello"))
    await gate.reached.wait()
    sending.cancel()
    await asyncio.wait([sending])
    gate.opened.set()
    (seen,) = await telegram.wait_for_reply(ADA)
    assert seen.text == "hello"


async def test_waiting_for_a_reply_tells_what_came(telegram: TelegramStandIn, bot: Bot) -> None:
    waiting = asyncio.create_task(telegram.wait_for_reply(ADA, count=2))
    await bot.send_message(ADA, "one")
    await bot.send_message(ADA, "two")
    assert [seen.text for seen in await waiting] == ["one", "two"]
    with pytest.raises(TimeoutError, match=r"chat 7 got 2 of 3 messages.*'one', 'two'"):
        await telegram.wait_for_reply(ADA, count=3, timeout=0)
