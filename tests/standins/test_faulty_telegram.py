"""Each call switch of the Bot API stand-in does on the wire what its name says, and no more."""

import asyncio
import json

import aiohttp
import pytest

from bot.standins.news import HANG_SECONDS
from bot.standins.telegram import TelegramStandIn
from bot.standins.telegram_switches import KINDS
from tests.support.raw_bot import RawBot, raw_bot, texts
from tests.support.standin_bot import ADA
from tests.support.started import started


@pytest.mark.parametrize(
    ("name", "argument", "status", "description"),
    [
        ("429", 5, 429, "Too Many Requests: retry after 5"),
        ("500", None, 500, "Internal Server Error"),
        ("401", None, 401, "Unauthorized"),
    ],
)
async def test_refusals(
    telegram: TelegramStandIn,
    raw: RawBot,
    name: str,
    argument: float | None,
    status: int,
    description: str,
) -> None:
    telegram.switches.on(name, argument)
    code, content_type, body = await raw.send()
    said = json.loads(body)
    assert (code, content_type) == (status, "application/json")
    assert (said["ok"], said["error_code"], said["description"]) == (False, status, description)
    assert said.get("parameters") == ({"retry_after": 5} if status == 429 else None)
    assert telegram.sent == []
    telegram.switches.off(name)
    assert (await raw.send())[0] == 200


async def test_502_is_a_page_of_nginx(telegram: TelegramStandIn, raw: RawBot) -> None:
    telegram.switches.on("502")
    status, content_type, body = await raw.send()
    assert (status, content_type) == (502, "text/html")
    assert b"<h1>502 Bad Gateway</h1>" in body
    assert telegram.sent == []


async def test_409_ends_the_poll_that_waits_and_every_other(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    poll = asyncio.create_task(raw.call("getUpdates", timeout=50))
    await telegram.wait_for_calls("getUpdates")
    telegram.switches.on("409")
    assert (await poll)[0] == 200
    status, _, body = await raw.call("getUpdates", timeout=50)
    assert (status, json.loads(body)["description"][:30]) == (409, "Conflict: terminated by other ")
    assert (await raw.send())[0] == 200


async def test_slow(telegram: TelegramStandIn, raw: RawBot) -> None:
    telegram.switches.on("slow", 0.2)
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert (await raw.send())[0] == 200
    assert loop.time() - began > 0.2
    telegram.switches.on("500")
    assert (await raw.send())[0] == 500
    assert telegram.switches.struck == {"slow": 2, "500": 1}


@pytest.mark.parametrize(("name", "seen"), [("drop-before", 0), ("drop-after", 1)])
async def test_drops(telegram: TelegramStandIn, raw: RawBot, name: str, seen: int) -> None:
    telegram.switches.on(name)
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await raw.send()
    assert len(telegram.sent) == seen


@pytest.mark.parametrize(("name", "seen"), [("garbled-before", 0), ("garbled-after", 1)])
async def test_garbled(telegram: TelegramStandIn, raw: RawBot, name: str, seen: int) -> None:
    telegram.switches.on(name)
    status, content_type, body = await raw.send()
    assert (status, content_type) == (200, "application/json")
    with pytest.raises(ValueError, match="Unterminated string"):
        json.loads(body)
    assert len(telegram.sent) == seen


async def test_what_is_refused_anyway_is_dropped_and_garbled_too(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    telegram.switches.on("drop-after")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await raw.call("sendMessage", chat_id=ADA)
    telegram.switches.off("drop-after")
    telegram.switches.on("garbled-after")
    status, _, body = await raw.call("sendMessage", chat_id=ADA)
    assert (status, body[:12]) == (400, b'{"ok":false,')


async def test_away_closes_the_port_and_keeps_everything(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    url = telegram.url
    poll = asyncio.create_task(raw.call("getUpdates", timeout=50))
    await telegram.wait_for_calls("getUpdates")
    with telegram.subscribe() as happenings:
        telegram.switches.on("away")
        await telegram.wait_until_switched()
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await poll
        with pytest.raises(aiohttp.ClientConnectorError):
            await raw.send()
        telegram.say(ADA, "meanwhile")
        telegram.switches.off("away")
        await telegram.wait_until_switched()
        assert (await anext(happenings)).detail["text"] == "meanwhile"
    assert telegram.url == url
    assert texts(await raw.updates()) == ["meanwhile"]


async def test_away_for_a_time_and_from_the_start(raw: RawBot) -> None:
    late = TelegramStandIn()
    late.switches.on("away", 600)
    await late.start()
    lonely = RawBot(late, raw.http)
    with pytest.raises(aiohttp.ClientConnectorError):
        await lonely.call("getMe")
    late.switches.on("away", 0.1)
    async with asyncio.timeout(HANG_SECONDS):
        while late.switches.get("away"):
            await asyncio.sleep(0.01)
        await late.wait_until_switched()
    assert (await lonely.call("getMe"))[0] == 200
    late.switches.on("away")
    await late.stop()


async def test_only_the_named_methods_are_touched(telegram: TelegramStandIn, raw: RawBot) -> None:
    telegram.switches.on("500", methods=["SendMessage"])
    assert [(await raw.call(name))[0] for name in ("getMe", "SENDMESSAGE")] == [200, 500]


async def test_every_switch_that_is_on_strikes_somewhere(telegram: TelegramStandIn) -> None:
    for kind in KINDS:
        for method in kind.touches:
            telegram.switches.on(kind.name)
            assert telegram.switches.strikes(kind.name, method)
        telegram.switches.off(kind.name)
        assert not any(telegram.switches.strikes(kind.name, each) for each in kind.touches)


async def test_the_same_seed_fails_the_same_calls() -> None:
    seen: list[list[int]] = []
    for seed in (11, 11, 12):
        async with started(TelegramStandIn(seed=seed)) as telegram, raw_bot(telegram) as raw:
            telegram.switches.on("500", rate=0.5)
            seen.append([(await raw.call("getMe"))[0] for _ in range(30)])
    assert seen[0] == seen[1] != seen[2]
    assert set(seen[0]) == {200, 500}
