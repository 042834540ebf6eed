"""The chat page: what it serves, what it tells live, and whom it refuses."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.standins import page_files
from bot.standins.model import ModelStandIn
from bot.standins.page_files import SCRIPTS, STYLES
from bot.standins.paste import cut_paste
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_page import next_event, page_of

STATE: dict[str, object] = {"inbound_seq": 3, "answered_seq": 1, "window": None}


@pytest.fixture
def model() -> ModelStandIn:
    return ModelStandIn(delay=1.0)


@pytest.fixture
async def page(
    telegram: TelegramStandIn, model: ModelStandIn
) -> AsyncIterator[aiohttp.ClientSession]:
    async def inspect(chat_id: int, thread_id: int) -> dict[str, object] | None:
        return STATE if (chat_id, thread_id) == (1001, 0) else None

    async with page_of(telegram, model, inspect) as http:
        yield http


def test_every_script_and_style_is_served() -> None:
    folder = Path(page_files.__file__).parent
    there = {path.name for path in folder.iterdir() if path.suffix in {".js", ".css"}}
    assert there == {*SCRIPTS, *STYLES}


async def call(telegram: TelegramStandIn, method: str, **params: object) -> None:
    url = f"{telegram.url}/bot4242:stand-in-token/{method}"
    async with aiohttp.ClientSession() as http, http.post(url, json=params) as answer:
        assert answer.ok, await answer.text()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html"),
        *((f"/chat/{name}", "text/css") for name in STYLES),
        *((f"/chat/{name}", "text/javascript") for name in SCRIPTS),
    ],
)
async def test_assets(page: aiohttp.ClientSession, path: str, content_type: str) -> None:
    async with page.get(path) as answer:
        assert (answer.status, answer.content_type) == (200, content_type)
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        text = await answer.text()
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "innerHTML" not in text


async def test_first_chat_is_there_and_history_survives_a_reload(
    telegram: TelegramStandIn, page: aiohttp.ClientSession
) -> None:
    telegram.say(1001, "hello")
    for _ in range(2):
        async with page.get("/chat/events") as stream:
            snapshot = await next_event(stream)
        (chat,) = snapshot["chats"]
        assert (snapshot["kind"], chat["chat_id"], chat["name"]) == ("snapshot", 1001, "Ada")
        assert [(line["text"], line["from_bot"]) for line in chat["lines"]] == [("hello", False)]


async def test_events_both_ways(telegram: TelegramStandIn, page: aiohttp.ClientSession) -> None:
    async with page.get("/chat/events") as stream:
        await next_event(stream)
        async with page.post("/chat/messages", json={"chat_id": 1001, "text": "hi"}) as answer:
            (asked,) = (await answer.json())["message_ids"]
        await call(telegram, "sendChatAction", chat_id=1001, action="typing")
        await call(telegram, "sendMessage", chat_id=1001, text="<b>yes</b>")
        await call(telegram, "editMessageText", chat_id=1001, message_id=asked + 1, text="no")
        await call(telegram, "deleteMessage", chat_id=1001, message_id=asked + 1)
        events = [await next_event(stream) for _ in range(5)]
    assert [event["kind"] for event in events] == ["message", "action", "message", "edit", "delete"]
    assert {(event["chat_id"], event["name"]) for event in events} == {(1001, "Ada")}
    assert [event.get("text") for event in events] == ["hi", None, "<b>yes</b>", "no", None]
    assert [event.get("from_bot") for event in events] == [False, None, True, True, None]
    assert telegram.pending == 1


async def test_new_chat(telegram: TelegramStandIn, page: aiohttp.ClientSession) -> None:
    async with page.get("/chat/events") as stream:
        await next_event(stream)
        async with page.post("/chat/chats", json={}) as answer:
            assert await answer.json() == {"chat_id": 1002, "name": "Bruno"}
        opened = await next_event(stream)
    assert opened == {"kind": "chat", "chat_id": 1002, "name": "Bruno"}
    assert telegram.pending == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b'{"text": "hi"}', 400), (b'{"chat_id": 5, "text": "hi"}', 404)],
)
async def test_message_not_understood(
    page: aiohttp.ClientSession, body: bytes, status: int
) -> None:
    async with page.post("/chat/messages", data=body) as answer:
        assert answer.status == status


async def test_state(page: aiohttp.ClientSession) -> None:
    async with page.get("/chat/state?chat_id=1001&thread_id=0") as answer:
        assert await answer.json() == STATE
    async with page.get("/chat/state?chat_id=1002") as answer:
        assert await answer.json() is None
    async with page.get("/chat/state?chat_id=me") as answer:
        assert answer.status == 400


async def test_model_pace(model: ModelStandIn, page: aiohttp.ClientSession) -> None:
    async with page.post("/chat/model", json={"per_word": 0.2}) as answer:
        assert await answer.json() == {"delay": 1.0, "per_word": 0.2}
    async with page.get("/chat/model") as answer:
        assert await answer.json() == {"delay": model.delay, "per_word": model.per_word}


async def test_without_model_and_state(telegram: TelegramStandIn) -> None:
    async with page_of(telegram) as page:
        for path in ("/chat/model", "/chat/state?chat_id=1001"):
            async with page.get(path) as answer:
                assert await answer.json() is None
        async with page.post("/chat/model", json={"delay": 1}) as answer:
            assert answer.status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8080", "Origin": "http://evil.example:8080"},
        {"Host": "127.0.0.1.evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
async def test_other_sites_are_refused(
    telegram: TelegramStandIn, page: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    body = {"chat_id": 1001, "text": "hi"}
    async with page.post("/chat/messages", json=body, headers=headers) as answer:
        assert answer.status == 403
    async with page.get("/chat/events", headers=headers) as answer:
        assert answer.status == 403
    assert telegram.pending == 0


@pytest.mark.parametrize("host", ["localhost:8080", "[::1]:8080", "127.0.0.1"])
async def test_loopback_names_are_welcome(page: aiohttp.ClientSession, host: str) -> None:
    async with page.get("/", headers={"Host": host, "Origin": f"http://{host}"}) as answer:
        assert answer.status == 200


async def test_open_page_does_not_hold_up_the_end(telegram: TelegramStandIn) -> None:
    async with page_of(telegram) as page:
        stream = await page.get("/chat/events")
        await next_event(stream)
    assert await stream.content.read() == b""


def test_long_paste_is_cut_as_clients_do() -> None:
    parts = cut_paste("a" * 4095 + "😀" + "b" * 4095)
    assert [len(part.encode("utf-16-le")) // 2 for part in parts] == [4095, 4096, 1]
    assert "".join(parts) == "a" * 4095 + "😀" + "b" * 4095
    assert cut_paste(" \n ") == []
