"""The same over HTTP, by a process with its log: what came in must all be in the database."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from bot.standins.faults import Call, Fault, Refuse
from tests.badinput.expected import may_be_ignored
from tests.badinput.station import ASIDE, COUNTED, normal
from tests.badinput.updates import any_update
from tests.support.neighbours import Neighbours, running_bot
from tests.support.processes import bot_process
from tests.support.searching import samples
from tests.support.waiting import rows_of, until_found, until_settled

ADA, BOB = 501, 502
UPDATES = 150
BOBS = "SELECT text FROM messages WHERE chat_id = 502"
FIRST_MESSAGE_ID = 10_000


def told_apart(updates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The updates as they can be queued, each message with an id of its own."""
    found = []
    for place, update in enumerate(updates):
        body = {name: value for name, value in update.items() if name != "update_id"}
        if isinstance(message := body.get("message"), dict) and message.get("message_id") == 7:
            body["message"] = {**message, "message_id": FIRST_MESSAGE_ID + place}
        if body:
            found.append(body)
    return found


def message_id_of(update: dict[str, Any]) -> object:
    message = update.get("message")
    return message.get("message_id") if isinstance(message, dict) else None


async def test_g6_nothing_is_lost_over_http(around: Neighbours) -> None:
    around.model.answer = lambda _messages: "yes"
    drawn = samples(any_update.filter(lambda update: isinstance(update, dict)), UPDATES)
    updates = told_apart(drawn)
    async with bot_process(around.environment()) as bot:
        await bot.logged("polling_started")
        for update in updates:
            around.telegram.push(update)
        around.telegram.say(BOB, "still there?")
        await until_found(around.database_url, BOBS)
        await until_settled(around.database_url)
        assert await bot.terminate() == 0
    assert "Logging error" not in bot.stderr
    counted = [row.message_id for row in await rows_of(around.database_url, COUNTED)]
    aside = [json.loads(row.payload) for row in await rows_of(around.database_url, ASIDE)]
    kept = {normal(without_id(update)) for update in aside}
    lost = [
        update
        for update in updates
        if message_id_of(update) not in counted and normal(update) not in kept
    ]
    assert [update for update in lost if not may_come_to_nothing(update)] == []
    assert len(counted) + len(aside) + len(lost) == len(updates) + 1


def without_id(update: Any) -> Any:
    return {name: value for name, value in update.items() if name != "update_id"}


def may_come_to_nothing(update: dict[str, Any]) -> bool:
    """True for what is ignored on purpose, and for chats that are told where to write."""
    message = update.get("message")
    chat = message.get("chat") if isinstance(message, dict) else None
    return may_be_ignored(update) or (isinstance(chat, dict) and chat.get("type") != "private")


@pytest.mark.parametrize(
    "strange",
    [
        b'7,"text",null,[[]],true',
        b'{"message":{"text":"no id"}}',
        b'{"update_id":-9,"poll":{"id":"\\ud83d","question":"x"}}',
        b'{"update_id":9,"message":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"update_id":9,"message":{"chat":{"id":[1]}}}',
        b'{"update_id":1' + b"0" * 5_000 + b"}",
    ],
)
async def test_g6_polling_goes_on_after_what_is_no_update(
    around: Neighbours, strange: bytes
) -> None:
    bodies = [b'{"ok":true,"result":[' + strange + b"]}"] * 2

    async def hook(call: Call) -> Fault | None:
        if call.method == "getUpdates" and bodies:
            return Refuse(200, "", raw_body=bodies.pop())
        return None

    around.telegram.hook = hook
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await until_found(around.database_url, "SELECT 1 FROM set_aside_updates")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    payloads = [row.payload for row in await rows_of(around.database_url, ASIDE)]
    aside = dict.fromkeys(payloads)
    if b'"update_id":9,' not in strange:  # it cannot be confirmed, and so comes again
        assert len(payloads) == len(aside)
    assert ",".join(aside).replace(" ", "") == strange.decode().replace(" ", "")
