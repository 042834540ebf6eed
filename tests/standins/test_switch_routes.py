"""Switches thrown from another process: by HTTP, from the page's address, on the command line."""

from typing import Any

import aiohttp
import pytest
from typer.testing import CliRunner

from bot.__main__ import SETTINGS_EXIT, cli
from bot.standins.model import ModelStandIn
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_page import page_of
from tests.support.standin_process import BOT, get, standins


async def post(http: aiohttp.ClientSession, url: str, wish: object) -> Any:
    async with http.post(url, json=wish) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


def on(shown: Any) -> list[str]:
    return [fault["name"] for fault in shown["faults"] if fault["on"]]


async def test_each_stand_in_has_its_own_switches(
    telegram: TelegramStandIn, model: ModelStandIn
) -> None:
    async with aiohttp.ClientSession() as http:
        shown = await post(
            http, f"{telegram.url}/control/faults", {"faults": [{"name": "telegram:slow"}]}
        )
        assert on(shown) == ["telegram:slow"]
        model_url = f"{model.url.removesuffix('/v1')}/control/faults"
        order = {"name": "model:cut", "argument": 1, "rate": 0.5, "count": 2}
        assert on(await post(http, model_url, {"seed": 3, "faults": [order]})) == ["model:cut"]
        assert (await get(http, model_url))["seeds"] == {"model": 3}
        assert on(await post(http, model_url, {"all": "off"})) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "body: Input should be an object"),
        (b'{"faults": [{}]}', "faults.0.name: Field required"),
        (b'{"faults": [{"name": "telegram:500", "on": "yes"}]}', "faults.0.on"),
        (b'{"faults": [{"name": "telegram:500", "rate": true}]}', "faults.0.rate"),
        (b'{"faults": [{"name": "telegram:500", "often": 1}]}', "faults.0.often: Extra"),
        (b'{"all": "on"}', "all: Input should be 'off'"),
        (b'{"all": "off", "faults": [{"name": "model:500"}]}', "no fault is called 'model:500'"),
    ],
)
async def test_wishes_that_are_refused_change_nothing(
    telegram: TelegramStandIn, body: bytes, complaint: str
) -> None:
    telegram.switches.on("502")
    async with aiohttp.ClientSession(telegram.url) as http:
        async with http.post("/control/faults", data=body) as answer:
            assert answer.status == 400
            assert complaint in await answer.text()
        headers = {"Host": "evil.example"}
        async with http.post("/control/faults", json={"all": "off"}, headers=headers) as answer:
            assert answer.status == 403
    assert telegram.switches.get("502") is not None


async def test_page_has_both(telegram: TelegramStandIn) -> None:
    model = ModelStandIn()
    async with page_of(telegram, model) as page:
        wish = {"faults": [{"name": "model:hang"}, {"name": "telegram:away"}]}
        assert on(await post(page, "/chat/faults", wish)) == ["telegram:away", "model:hang"]
        with pytest.raises(aiohttp.ClientConnectorError):
            await get(page, f"{telegram.url}{BOT}/getMe")
        assert on(await post(page, "/chat/faults", {"all": "off"})) == []
        assert (await get(page, f"{telegram.url}{BOT}/getMe"))["ok"]
    async with page_of(telegram) as page, page.get("/chat/faults") as answer:
        names = {fault["name"].split(":")[0] for fault in (await answer.json())["faults"]}
    assert names == {"telegram"}


async def test_stand_ins_of_a_process_begin_as_told_and_stay_in_reach() -> None:
    arguments = ("--fault", "telegram:500,count=1", "--fault", "telegram:away", "--seed", "5")
    async with standins(*arguments) as urls, aiohttp.ClientSession() as http:
        faults = f"{urls['control']}/control/faults"
        shown = await get(http, faults)
        assert on(shown) == ["telegram:500", "telegram:away"]
        assert shown["seeds"] == {"telegram": 5, "model": 5}
        with pytest.raises(aiohttp.ClientConnectorError):
            await get(http, f"{urls['telegram']}{BOT}/getMe")
        back = {"faults": [{"name": "telegram:away", "on": False}]}
        assert on(await post(http, faults, back)) == ["telegram:500"]
        statuses = []
        for _ in range(2):
            async with http.get(f"{urls['telegram']}{BOT}/getMe") as answer:
                statuses.append(answer.status)
        assert statuses == [500, 200]


def test_local_mode_names_the_faults_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_API_URL", "")
    outcome = CliRunner().invoke(cli, ["local", "--fault", "telegram:slwo=2"])
    assert outcome.exit_code == SETTINGS_EXIT
    assert "--fault: no fault is called 'telegram:slwo'. There are:" in outcome.stderr
    assert "  telegram:429[=seconds]" in outcome.stderr
    assert "  model:no-quota " in outcome.stderr
