"""What one does on the chat page besides writing, and what it then tells live."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import aiohttp
import pytest

from bot.standins.pictures import blank_png
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, StandInBot
from tests.support.standin_page import next_event, page_of

PHOTO = blank_png(40, 30)
KEYBOARD = {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}


@pytest.fixture
async def page(made: StandInBot) -> AsyncIterator[aiohttp.ClientSession]:
    async with page_of(made.telegram) as http:
        yield http


async def act(page: aiohttp.ClientSession, **wish: Any) -> Any:
    async with page.post("/chat/acts", json={"chat_id": ADA, **wish}) as answer:
        return (await answer.json())["done"] if answer.ok else await answer.text()


async def test_message_with_everything(
    page: aiohttp.ClientSession, telegram: TelegramStandIn, made: StandInBot
) -> None:
    async with page.get("/chat/events") as stream:
        await next_event(stream)
        asked = telegram.say(ADA, "a question")
        await next_event(stream)
        sent = await made.call(
            "sendRichMessage",
            chat_id=ADA,
            rich_message={"markdown": "**Sure?**"},
            reply_parameters={"message_id": asked},
            reply_markup=KEYBOARD,
        )
        shown = await next_event(stream)
        assert shown["rich"] == {"markdown": "**Sure?**"}
        assert shown["reply"] == {
            "message_id": asked,
            "from_bot": False,
            "text": "a question",
            "quoted": False,
        }
        assert shown["buttons"] == KEYBOARD["inline_keyboard"]
        message_id = sent["result"]["message_id"]
        await act(page, act="forward", forwarded_id=message_id)
        assert (await next_event(stream))["forwarded"] == "Stand-in bot"
        pressed = await act(page, act="press", message_id=message_id, data="yes")
        await made.call("answerCallbackQuery", callback_query_id=pressed, text="Noted")
        notice = await next_event(stream)
    assert (notice["kind"], notice["text"], notice["alert"]) == ("notice", "Noted", False)


async def test_draft_comes_goes_and_survives_a_reload(
    page: aiohttp.ClientSession, made: StandInBot
) -> None:
    async with page.get("/chat/events") as stream:
        await next_event(stream)
        await made.call("sendMessageDraft", chat_id=ADA, draft_id=5, text="Hel", can_stop=True)
        draft = (await next_event(stream))["draft"]
        assert (draft["text"], draft["can_stop"], draft["rich"]) == ("Hel", True, None)
        async with page.get("/chat/events") as other:
            (chat,) = (await next_event(other))["chats"]
        assert (chat["draft"], chat["language"]) == (draft, "de")
        assert await act(page, act="stop_draft") == 5
        assert (await next_event(stream))["draft"] is None
    assert (await made.update()).stopped_message_generation is not None


async def test_photo_is_shown_and_a_document_only_downloaded(
    page: aiohttp.ClientSession, telegram: TelegramStandIn
) -> None:
    large = b64encode(PHOTO + bytes(2 * 1024 * 1024)).decode()
    wish = {"act": "photo", "chat_id": ADA, "data": large, "caption": "look"}
    async with page.post("/chat/acts", data=BytesIO(json.dumps(wish).encode())) as answer:
        assert answer.status == 200
    await act(page, act="document", data=b64encode(b"<script>").decode(), name="a.html")
    telegram.say_document(ADA, b"<script>", "b.html", "text/html")
    async with page.get("/chat/events") as stream:
        (chat,) = (await next_event(stream))["chats"]
    photo, *documents = (line["media"] for line in chat["lines"])
    assert (photo["kind"], photo["width"], photo["height"]) == ("photo", 40, 30)
    async with page.get(f"/chat/files/{photo['file']}") as answer:
        assert answer.content_type == "image/png"
        assert (await answer.read()).startswith(PHOTO)
    for document in documents:
        async with page.get(f"/chat/files/{document['file']}") as answer:
            assert answer.content_type == "application/octet-stream"
            assert answer.headers["Content-Disposition"] == "attachment"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
    async with page.get("/chat/files/none") as answer:
        assert answer.status == 404


async def test_first_part_of_a_long_reply_quotes(
    page: aiohttp.ClientSession, telegram: TelegramStandIn, made: StandInBot
) -> None:
    first = telegram.say(ADA, "one and two")
    body = {"chat_id": ADA, "text": "a" * 5000, "reply_to": first, "quote": "two"}
    async with page.post("/chat/messages", json=body) as answer:
        assert len((await answer.json())["message_ids"]) == 2
    _, begun, ended = [update.message for update in await made.updates()]
    assert begun is not None
    assert begun.quote is not None
    assert ended is not None
    assert ended.reply_to_message is None


async def test_menu_and_name(page: aiohttp.ClientSession, made: StandInBot) -> None:
    commands = [{"command": "help", "description": "Hilfe"}]
    await made.call("setMyCommands", commands=commands, language_code="fr")
    async with page.get(f"/chat/menu?chat_id={ADA}") as answer:
        assert await answer.json() == []
    async with page.get("/chat/events") as stream:
        await next_event(stream)
        await act(page, act="introduce", first_name="Ada L.", language_code="fr")
        told = await next_event(stream)
    assert (told["kind"], told["name"], told["language"]) == ("chat", "Ada L.", "fr")
    async with page.get(f"/chat/menu?chat_id={ADA}") as answer:
        assert await answer.json() == commands
    for wrong, status in (("me", 400), ("99", 404)):
        async with page.get(f"/chat/menu?chat_id={wrong}") as answer:
            assert answer.status == status


async def test_acts_that_cannot_be_done(
    page: aiohttp.ClientSession, telegram: TelegramStandIn
) -> None:
    assert "has no message 5" in await act(page, act="edit", message_id=5, text="a")
    assert "chat_id must be a number" in await act(page, chat_id="me", text="a")
    async with page.post("/chat/acts", data=b"{") as answer:
        assert answer.status == 400
    foreign = {"Origin": "http://evil.example"}
    body = {"chat_id": ADA, "text": "a"}
    async with page.post("/chat/acts", json=body, headers=foreign) as answer:
        assert answer.status == 403
    assert telegram.pending == 0
