"""What comes in: each update is counted, put aside or politely ignored, and then confirmed."""

import json
from typing import Any

import pytest

from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import rows_of, until_found, until_settled
from tests.support.whole_bursts import HELD_OPEN, close_whole

ADA, BOB, GROUP, CHANNEL = 501, 502, -1001, -1002
ALL_MESSAGES = "SELECT chat_id, thread_id, message_id, text FROM messages ORDER BY chat_id, seq"


def private(chat_id: int, message_id: int, **content: object) -> dict[str, Any]:
    return {
        "message": {
            "message_id": message_id,
            "date": 1_790_000_000,
            "chat": {"id": chat_id, "type": "private", "first_name": "Ada"},
            "from": {"id": chat_id, "is_bot": False, "first_name": "Ada"},
            **content,
        }
    }


async def test_g6_the_same_message_under_two_update_ids_is_counted_once(
    around: Neighbours,
) -> None:
    async with running_bot(around.settings(**HELD_OPEN)):
        for update_id in (9_000_000, 9_000_001, 12):
            around.telegram.push({"update_id": update_id, **private(ADA, 7, text="once")})
        around.telegram.say(ADA, "twice", message_id=8)
        await close_whole(around.database_url)
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [row.text for row in await rows_of(around.database_url, ALL_MESSAGES)] == [
        "once",
        "twice",
    ]


async def test_g6_update_ids_that_restart_lower_are_heard(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.push({"update_id": 800_000_000, **private(ADA, 7, text="before")})
        await around.telegram.wait_for_reply(ADA)
        around.telegram.push({"update_id": 1_000, **private(ADA, 8, text="after")})
        await around.telegram.wait_for_reply(ADA, count=2)
        await until_settled(around.database_url)


async def test_g6_an_update_that_cannot_be_handled_is_put_aside(around: Neighbours) -> None:
    broken = private(ADA, 7, text="lost?")
    broken["message"]["chat"]["type"] = {"not": "a type"}
    async with running_bot(around.settings()):
        around.telegram.push(broken)
        around.telegram.say(BOB, "not held up")
        await around.telegram.wait_for_reply(BOB)
        [aside] = await until_found(around.database_url, "SELECT * FROM set_aside_updates")
    assert json.loads(aside.payload)["message"]["text"] == "lost?"
    assert "ValidationError" in aside.error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"text": "a\x00b"}, "a\ufffdb"),
        ({"text": "half \ud83d of an emoji"}, "half \ufffd of an emoji"),
        ({"dice": {"emoji": "🎲", "value": 3}}, "[sent a dice: 🎲 showing 3]"),
        (
            {
                "photo": [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}],
                "caption": "look",
            },
            "[sent a photo] look",
        ),
        ({"from_the_future": {"x": 1}}, "[sent something I cannot read]"),
    ],
)
async def test_g6_what_is_not_plain_text_is_answered_too(
    around: Neighbours, content: dict[str, object], words: str
) -> None:
    async with running_bot(around.settings()):
        around.telegram.push(private(ADA, 7, **content))
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert words in reply.text


async def test_notices_of_the_service_are_not_answered(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.push(
            private(ADA, 7, message_auto_delete_timer_changed={"message_auto_delete_time": 60})
        )
        around.telegram.say(ADA, "hello", message_id=8)
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [row.text for row in await rows_of(around.database_url, ALL_MESSAGES)] == ["hello"]


async def test_topics_of_one_chat_are_conversations_of_their_own(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "in the first", message_thread_id=11)
        around.telegram.say(ADA, "in the second", message_thread_id=12)
        replies = await around.telegram.wait_for_reply(ADA, count=2)
        await until_settled(around.database_url)
    assert sorted((reply.thread_id, "first" in reply.text) for reply in replies) == [
        (11, True),
        (12, False),
    ]


async def test_groups_and_channels_are_told_once(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        for message_id in (1, 2, 3):
            around.telegram.push(_elsewhere("message", GROUP, "supergroup", message_id))
            around.telegram.push(_elsewhere("channel_post", CHANNEL, "channel", message_id))
        await around.telegram.wait_for_reply(GROUP)
        await around.telegram.wait_for_reply(CHANNEL)
        around.telegram.push(_elsewhere("message", GROUP, "supergroup", 4))
        around.telegram.say(ADA, "hello")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [len(around.seen_by(chat)) for chat in (GROUP, CHANNEL)] == [1, 1]
    assert "private" in around.seen_by(GROUP)[0].text


def _elsewhere(kind: str, chat_id: int, chat_type: str, message_id: int) -> dict[str, Any]:
    return {
        kind: {
            "message_id": message_id,
            "date": 1_790_000_000,
            "chat": {"id": chat_id, "type": chat_type, "title": "Elsewhere"},
            "text": "hello all",
        }
    }
