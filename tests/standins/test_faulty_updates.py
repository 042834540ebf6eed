"""The Bot API stand-in hands out updates again, late, out of order and under odd ids."""

from bot.standins.telegram import TelegramStandIn
from tests.support.raw_bot import RawBot, texts
from tests.support.standin_bot import ADA

LONG_AGO = 1_600_000_000


async def test_the_same_update_comes_again_after_its_confirmation(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    telegram.switches.on("repeat-update", 0.05, count=1)
    telegram.say(ADA, "one")
    [first] = await raw.updates()
    await raw.updates(offset=first["update_id"] + 1)
    telegram.say(ADA, "two")
    assert telegram.pending == 2
    [two] = await raw.updates(offset=first["update_id"] + 1)
    [again, *_] = await raw.updates(offset=two["update_id"] + 1, timeout=50)
    assert again == first
    assert await raw.updates(offset=again["update_id"] + 1) == []
    assert telegram.pending == 0
    telegram.say(ADA, "three")
    assert (await raw.updates())[0]["update_id"] == two["update_id"] + 1


async def test_the_same_message_comes_again_under_a_new_id(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    telegram.switches.on("repeat-message", 0.05, count=1)
    telegram.say(ADA, "one")
    [first] = await raw.updates()
    [again] = await raw.updates(offset=first["update_id"] + 1, timeout=50)
    assert again["message"] == first["message"]
    assert again["update_id"] == first["update_id"] + 1


async def test_updates_come_out_of_order(telegram: TelegramStandIn, raw: RawBot) -> None:
    said = [str(number) for number in range(6)]
    for text in said:
        telegram.say(ADA, text)
    telegram.switches.on("out-of-order")
    shuffled = texts(await raw.updates())
    assert shuffled != said
    assert sorted(shuffled) == said
    assert texts(await raw.updates(limit=2)) == ["1", "0"]


async def test_a_day_late(telegram: TelegramStandIn, raw: RawBot) -> None:
    telegram.switches.on("day-late")
    telegram.push({"message": {"date": LONG_AGO, "chat": {"id": ADA}}})
    telegram.push({"poll": {"id": "undated"}})
    telegram.switches.on("day-late", 1)
    telegram.push({"message": {"date": LONG_AGO, "chat": {"id": ADA}}})
    dated, undated, an_hour = await raw.updates()
    assert dated["message"]["date"] == LONG_AGO - 86_400
    assert undated["poll"] == {"id": "undated"}
    assert an_hour["message"]["date"] == LONG_AGO - 3_600
    assert telegram.switches.struck["day-late"] == 2


async def test_ids_restart_lower_and_go_on_from_there(
    telegram: TelegramStandIn, raw: RawBot
) -> None:
    telegram.say(ADA, "before")
    telegram.switches.on("ids-restart", count=1)
    telegram.say(ADA, "restarted")
    telegram.say(ADA, "after")
    [before] = await raw.updates()
    restarted, after = await raw.updates(offset=before["update_id"] + 1)
    assert 0 < restarted["update_id"] < before["update_id"] - 900
    assert after["update_id"] == restarted["update_id"] + 1
    assert await raw.updates(offset=after["update_id"] + 1) == []


async def test_ids_restart_no_lower_than_there_is_room() -> None:
    telegram = TelegramStandIn(first_id=1_500)
    telegram.switches.on("ids-restart")
    telegram.say(ADA, "one")
    assert telegram.next_update_id == 1_501
