"""Each switch of the stand-in model does on the wire what its name says, and no more."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from bot.standins.model import ModelStandIn
from bot.standins.news import HANG_SECONDS
from tests.support.started import started

ASKED = {"model": "any", "messages": [{"role": "user", "content": "one"}], "stream": True}


@pytest.fixture
async def model() -> AsyncIterator[ModelStandIn]:
    async with started(ModelStandIn(seed=11)) as server:
        yield server


@dataclass
class Client:
    """Asks without a library that would repair or retry anything."""

    model: ModelStandIn
    http: aiohttp.ClientSession

    async def ask(self) -> tuple[int, bytes, str | None]:
        url = f"{self.model.url}/chat/completions"
        async with self.http.post(url, json=ASKED) as answer:
            return answer.status, await answer.read(), answer.headers.get("Retry-After")

    async def events(self) -> list[bytes]:
        status, body, _ = await self.ask()
        assert status == 200
        return [event.removeprefix(b"data: ") for event in body.split(b"\n\n") if event]


@pytest.fixture
async def client(model: ModelStandIn) -> AsyncIterator[Client]:
    async with aiohttp.ClientSession() as http:
        yield Client(model, http)


def said(events: list[bytes]) -> str:
    chunks = [json.loads(event) for event in events if event.startswith(b"{")]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return "".join(delta.get("content") or "" for delta in deltas)


def finish_reasons(events: list[bytes]) -> set[str | None]:
    chunks = [json.loads(event) for event in events if event.startswith(b"{")]
    return {chunk["choices"][0]["finish_reason"] for chunk in chunks}


@pytest.mark.parametrize(
    ("name", "status", "error", "retry_after"),
    [
        ("429", 429, ("requests", "rate_limit_exceeded"), "2"),
        ("500", 500, ("server_error", None), None),
        ("too-long", 400, ("invalid_request_error", "context_length_exceeded"), None),
        ("no-quota", 429, ("insufficient_quota", "insufficient_quota"), None),
    ],
)
async def test_refusals(
    model: ModelStandIn,
    client: Client,
    name: str,
    status: int,
    error: tuple[str, str | None],
    retry_after: str | None,
) -> None:
    model.switches.on(name)
    answered, body, header = await client.ask()
    worded = json.loads(body)["error"]
    assert (answered, header) == (status, retry_after)
    assert (worded["type"], worded["code"]) == error
    model.switches.off(name)
    assert "one" in said(await client.events())


async def test_hang_lasts_until_the_client_gives_up(model: ModelStandIn, client: Client) -> None:
    model.switches.on("hang")
    asking = asyncio.create_task(client.ask())
    await model.wait_for_calls(1)
    model.switches.off("hang")
    assert "one" in said(await client.events())
    assert not asking.done()
    asking.cancel()
    async with asyncio.timeout(HANG_SECONDS):
        await model.calls[0].done.wait()
    assert model.calls[0].outcome == "cancelled"


async def test_late(model: ModelStandIn, client: Client) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    model.switches.on("late", 0.2)
    assert "one" in said(await client.events())
    assert loop.time() - began > 0.2
    model.switches.on("500")
    assert (await client.ask())[0] == 500
    assert model.switches.struck == {"late": 2, "500": 1}


async def test_cut(model: ModelStandIn, client: Client) -> None:
    model.switches.on("cut", 2)
    events = await client.events()
    assert said(events) == "Got it, "
    assert finish_reasons(events) == {None}
    assert b"[DONE]" not in events


async def test_drop(model: ModelStandIn, client: Client) -> None:
    model.switches.on("drop", 2)
    with pytest.raises(aiohttp.ClientPayloadError):
        await client.ask()
    assert model.calls[0].text == "Got it, "


async def test_malformed(model: ModelStandIn, client: Client) -> None:
    model.switches.on("malformed", 2)
    *good, broken = await client.events()
    assert said(good) == "Got it, "
    with pytest.raises(ValueError, match="Unterminated string"):
        json.loads(broken)


async def test_empty(model: ModelStandIn, client: Client) -> None:
    model.switches.on("empty")
    events = await client.events()
    assert said(events) == ""
    assert finish_reasons(events) == {None, "stop"}
    assert events[-1] == b"[DONE]"


async def test_huge(model: ModelStandIn, client: Client) -> None:
    model.switches.on("huge")
    events = await client.events()
    assert 199_990 < len(said(events)) <= 200_000
    assert finish_reasons(events) == {None, "stop"}


async def test_the_test_hook_goes_before_the_switches(model: ModelStandIn, client: Client) -> None:
    async def hook(_call: object) -> None:
        model.switches.on("500", count=1)

    model.hook = hook
    assert (await client.ask())[0] == 500
    assert model.switches.get("500") is None
