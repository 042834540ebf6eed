"""The Bot API stand-in hands out updates again, late, out of order and under odd ids."""

from collections.abc import AsyncIterator

import pytest

from bot.standins.telegram import TelegramStandIn
from tests.support.raw_bot import ADA, RawBot, raw_bot, texts

LONG_AGO = 1_600_000_000


@pytest.fixture
async def bot() -> AsyncIterator[RawBot]:
    async with raw_bot() as made:
        yield made


@pytest.fixture
def telegram(bot: RawBot) -> TelegramStandIn:
    return bot.telegram


async def test_the_same_update_comes_again_after_its_confirmation(
    telegram: TelegramStandIn, bot: RawBot
) -> None:
    telegram.switches.on("repeat-update", 0.05, count=1)
    telegram.say(ADA, "one")
    [first] = await bot.updates()
    await bot.updates(offset=first["update_id"] + 1)
    telegram.say(ADA, "two")
    assert telegram.pending == 2
    [two] = await bot.updates(offset=first["update_id"] + 1)
    [again, *_] = await bot.updates(offset=two["update_id"] + 1, timeout=50)
    assert again == first
    assert await bot.updates(offset=again["update_id"] + 1) == []
    assert telegram.pending == 0
    telegram.say(ADA, "three")
    assert (await bot.updates())[0]["update_id"] == two["update_id"] + 1


async def test_the_same_message_comes_again_under_a_new_id(
    telegram: TelegramStandIn, bot: RawBot
) -> None:
    telegram.switches.on("repeat-message", 0.05, count=1)
    telegram.say(ADA, "one")
    [first] = await bot.updates()
    [again] = await bot.updates(offset=first["update_id"] + 1, timeout=50)
    assert again["message"] == first["message"]
    assert again["update_id"] == first["update_id"] + 1


async def test_updates_come_out_of_order(telegram: TelegramStandIn, bot: RawBot) -> None:
    said = [str(number) for number in range(6)]
    for text in said:
        telegram.say(ADA, text)
    telegram.switches.on("out-of-order")
    shuffled = texts(await bot.updates())
    assert shuffled != said
    assert sorted(shuffled) == said
    assert texts(await bot.updates(limit=2)) == ["1", "0"]


async def test_a_day_late(telegram: TelegramStandIn, bot: RawBot) -> None:
    telegram.switches.on("day-late")
    telegram.push({"message": {"date": LONG_AGO, "chat": {"id": ADA}}})
    telegram.push({"poll": {"id": "undated"}})
    telegram.switches.on("day-late", 1)
    telegram.push({"message": {"date": LONG_AGO, "chat": {"id": ADA}}})
    dated, undated, an_hour = await bot.updates()
    assert dated["message"]["date"] == LONG_AGO - 86_400
    assert undated["poll"] == {"id": "undated"}
    assert an_hour["message"]["date"] == LONG_AGO - 3_600
    assert telegram.switches.struck["day-late"] == 2


async def test_ids_restart_lower_and_go_on_from_there(
    telegram: TelegramStandIn, bot: RawBot
) -> None:
    telegram.say(ADA, "before")
    telegram.switches.on("ids-restart", count=1)
    telegram.say(ADA, "restarted")
    telegram.say(ADA, "after")
    [before] = await bot.updates()
    restarted, after = await bot.updates(offset=before["update_id"] + 1)
    assert 0 < restarted["update_id"] < before["update_id"] - 900
    assert after["update_id"] == restarted["update_id"] + 1
    assert await bot.updates(offset=after["update_id"] + 1) == []


async def test_ids_restart_no_lower_than_there_is_room() -> None:
    telegram = TelegramStandIn(first_id=1_500)
    telegram.switches.on("ids-restart")
    telegram.say(ADA, "one")
    assert telegram.next_update_id == 1_501
