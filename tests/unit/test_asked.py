"""Which messages are commands."""

from datetime import UTC, datetime

import pytest
from aiogram.types import Chat, Message, MessageOriginHiddenUser

from bot.commands.asked import Asked, asked

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def message(text: str | None, *, is_forwarded: bool = False) -> Message:
    origin = MessageOriginHiddenUser(date=NOON, sender_user_name="Bob") if is_forwarded else None
    chat = Chat(id=1, type="private")
    return Message(message_id=1, date=NOON, chat=chat, text=text, forward_origin=origin)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/stop", Asked("stop", None, "")),
        ("/start  a-link ", Asked("start", None, "a-link")),
        ("/help@some_bot", Asked("help", "some_bot", "")),
        ("/start one\ntwo", Asked("start", None, "one\ntwo")),
        ("please /stop", None),
        ("/Stop", Asked("stop", None, "")),
        ("/", None),
        ("/stop-it", None),
        (f"/{'a' * 33}", None),
        (None, None),
    ],
)
def test_a_command_begins_the_message(text: str | None, command: Asked | None) -> None:
    assert asked(message(text)) == command


def test_what_was_forwarded_is_no_command() -> None:
    assert asked(message("/stop", is_forwarded=True)) is None
