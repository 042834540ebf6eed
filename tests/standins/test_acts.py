"""Another process plays the people: acts as JSON, drafts and files to look at."""

from base64 import b64encode
from typing import Any

import pytest

from bot.standins.pictures import blank_png
from tests.support.standin_bot import ADA, StandInBot

PHOTO = b64encode(blank_png(4, 3)).decode()


async def do(made: StandInBot, *acts: dict[str, Any]) -> Any:
    async with made.http.post(f"{made.telegram.url}/control/acts", json=acts) as answer:
        return (await answer.json())["done"] if answer.ok else await answer.text()


async def test_acts_of_every_kind(made: StandInBot) -> None:
    file = {"data": b64encode(b"data").decode()}
    done = await do(
        made,
        {"chat_id": ADA, "text": "hello"},
        {"act": "start", "chat_id": ADA, "payload": "p"},
        {"act": "photo", "chat_id": ADA, "data": PHOTO, "caption": "one"},
        {"act": "album", "chat_id": ADA, "pictures": [PHOTO, PHOTO]},
        {"act": "voice", "chat_id": ADA, **file},
        {"act": "video_note", "chat_id": ADA, **file},
        {"act": "document", "chat_id": ADA, "name": "a.txt", **file},
        {"act": "sticker", "chat_id": ADA},
        {"act": "contact", "chat_id": ADA, "phone_number": "1", "name": "B"},
        {"act": "location", "chat_id": ADA, "latitude": 1, "longitude": 2},
        {"act": "poll", "chat_id": ADA, "question": "?", "options": ["a", "b"]},
    )
    kinds = [update.message and update.message.content_type for update in await made.updates()]
    assert kinds == [
        "text",
        "text",
        *["photo"] * 3,
        "voice",
        "video_note",
        "document",
        "sticker",
        "contact",
        "location",
        "poll",
    ]
    await do(
        made,
        {"act": "edit", "chat_id": ADA, "message_id": done[0], "text": "hello!"},
        {"act": "forward", "chat_id": ADA, "forwarded_id": done[0]},
        {"act": "text", "chat_id": ADA, "text": "and", "reply_to": done[2], "quote": "one"},
    )
    edited, forwarded, replied = await made.updates()
    assert edited.edited_message is not None
    assert forwarded.message is not None
    assert forwarded.message.forward_origin is not None
    assert replied.message is not None
    assert replied.message.quote is not None


async def test_press_and_stop(made: StandInBot) -> None:
    keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}
    sent = await made.call("sendMessage", chat_id=ADA, text="Sure?", reply_markup=keyboard)
    await made.call("sendMessageDraft", chat_id=ADA, draft_id=5, text="I", can_stop=True)
    async with made.http.get(f"{made.telegram.url}/control/drafts") as answer:
        (draft,) = (await answer.json())["drafts"]
    assert (draft["draft_id"], draft["text"]) == (5, "I")
    message_id = sent["result"]["message_id"]
    press = {"act": "press", "chat_id": ADA, "message_id": message_id, "data": "yes"}
    await do(made, press, {"act": "stop_draft", "chat_id": ADA})
    pressed, stopped = await made.updates()
    assert pressed.callback_query is not None
    assert stopped.stopped_message_generation is not None


async def test_file_of_somebody(made: StandInBot) -> None:
    made.telegram.say_document(ADA, b"inside", "a.html", "text/html")
    document = (await made.message()).document
    assert document is not None
    files = f"{made.telegram.url}/control/files"
    async with made.http.get(f"{files}/{document.file_unique_id}") as answer:
        assert answer.content_type == "application/octet-stream"
        assert await answer.read() == b"inside"
    async with made.http.get(f"{files}/none") as answer:
        assert answer.status == 404


@pytest.mark.parametrize(
    ("act", "complaint"),
    [
        ({"act": "dance", "chat_id": ADA}, "there is no act 'dance', but introduce, text, start"),
        ({"act": "photo", "chat_id": ADA, "data": "?"}, "not understood"),
        ({"act": "photo", "chat_id": ADA, "data": 5}, "not understood"),
        ({"act": "text", "chat_id": ADA, "text": "a", "mood": 1}, "unexpected: mood"),
        ({"act": "edit", "chat_id": ADA, "message_id": 1, "text": "a"}, "has no message 1"),
        ({"act": "stop_draft", "chat_id": ADA}, "shows no draft with a stop button"),
    ],
)
async def test_acts_refused(made: StandInBot, act: dict[str, Any], complaint: str) -> None:
    assert complaint in await do(made, act)
    assert made.telegram.pending == 0
