"""The stand-ins in a process of their own, played by control routes."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.support.standin_process import BOT, get, standins


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(raise_for_status=True) as session:
        yield session


async def test_another_process_plays_the_people(http: aiohttp.ClientSession) -> None:
    async with standins() as urls:
        telegram = urls["telegram"]
        updates: list[dict[str, Any]] = [
            {"chat_id": 7, "text": "hello", "first_name": "Ada"},
            {"poll": {"id": "9"}},
        ]
        async with http.post(f"{telegram}/control/updates", json=updates) as answer:
            assert len((await answer.json())["ids"]) == 2
        polled = (await get(http, f"{telegram}{BOT}/getUpdates"))["result"]
        assert [update.get("poll", {}).get("id") for update in polled] == [None, "9"]
        for text in ("one", "two"):
            await get(http, f"{telegram}{BOT}/sendMessage?chat_id=7&text={text}")
        seen = await get(http, f"{telegram}/control/sent?since=1")
        assert [(sent["chat_id"], sent["text"]) for sent in seen["sent"]] == [(7, "two")]
        assert seen["next"] == 2
        offset = polled[-1]["update_id"] + 1
        await get(http, f"{telegram}{BOT}/getUpdates?offset={offset}")
        status = await get(http, f"{telegram}/control/status")
        assert (status["pending"], status["sent"], status["confirmed_offset"]) == (0, 2, offset)
        assert status["calls"] == {"getUpdates": 2, "sendMessage": 2}
        assert status["sent_at"] < status["confirmed_at"] < status["now"]


async def test_page_and_model_delay(http: aiohttp.ClientSession) -> None:
    async with standins("--model-delay", "0.5", "--page-port", "0") as urls:
        assert (await get(http, f"{urls['page']}/chat/model"))["delay"] == 0.5
        assert (await get(http, f"{urls['model']}/models"))["object"] == "list"


async def test_control_refuses_what_it_cannot_queue() -> None:
    async with standins() as urls, aiohttp.ClientSession(urls["telegram"]) as http:
        for body in (b"{", b"7", b"[7]", b'[{"chat_id": 7, "words": "hello"}]'):
            async with http.post("/control/updates", data=body) as answer:
                assert answer.status == 400
        async with http.get("/control/sent?since=now") as answer:
            assert answer.status == 400
        async with http.get("/control/status", headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
