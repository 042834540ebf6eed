"""The Bot API stand-in hands out updates as the real server does, asked through aiogram."""

import asyncio

import aiohttp
import pytest
from aiogram import Bot
from aiogram.exceptions import TelegramConflictError, TelegramUnauthorizedError
from aiogram.types import Update

from bot.standins.faults import Call
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import TOKEN, bot_at

OTHER_POLLER = (
    "Conflict: terminated by other getUpdates request; "
    "make sure that only one bot instance is running"
)


def texts(updates: list[Update]) -> list[str | None]:
    return [update.message.text for update in updates if update.message is not None]


async def begin_poll(telegram: TelegramStandIn, bot: Bot) -> asyncio.Task[list[Update]]:
    """Start a long poll and return when the server holds it."""
    arrived = asyncio.Event()

    async def note(_call: Call) -> None:
        arrived.set()

    telegram.hook = note
    poll = asyncio.create_task(bot.get_updates(timeout=50))
    await arrived.wait()
    telegram.hook = None
    return poll


async def test_message_is_shaped_as_telegram_does(telegram: TelegramStandIn, bot: Bot) -> None:
    message_id = telegram.say(
        7, "/start now", first_name="Ada", language_code="de", message_thread_id=3
    )
    (update,) = await bot.get_updates()
    message = update.message
    assert message is not None
    assert message.from_user is not None
    assert message.entities is not None
    assert (message.message_id, message.text, message.message_thread_id) == (
        message_id,
        "/start now",
        3,
    )
    assert (message.chat.id, message.chat.type) == (7, "private")
    assert (message.from_user.first_name, message.from_user.language_code) == ("Ada", "de")
    assert [(entity.type, entity.length) for entity in message.entities] == [("bot_command", 6)]


async def test_offset_confirms_all_below_it(telegram: TelegramStandIn, bot: Bot) -> None:
    for text in ("one", "two", "three"):
        telegram.say(7, text)
    first = await bot.get_updates(limit=2)
    assert texts(first) == ["one", "two"]
    assert texts(await bot.get_updates()) == ["one", "two", "three"]
    rest = await bot.get_updates(offset=first[-1].update_id + 1)
    assert texts(rest) == ["three"]
    assert (telegram.pending, telegram.confirmed_offset) == (1, rest[0].update_id)
    assert await bot.get_updates(offset=rest[0].update_id + 1) == []
    assert await bot.get_updates() == []


async def test_negative_offset_keeps_the_newest(telegram: TelegramStandIn, bot: Bot) -> None:
    for text in ("one", "two", "three"):
        telegram.say(7, text)
    assert texts(await bot.get_updates(offset=-2)) == ["two", "three"]
    assert texts(await bot.get_updates()) == ["two", "three"]


async def test_at_most_a_hundred_at_once(telegram: TelegramStandIn, bot: Bot) -> None:
    for number in range(150):
        telegram.say(number + 1, "hello")
    assert len(await bot.get_updates()) == 100
    assert len(await bot.get_updates(limit=1000)) == 100
    assert len(await bot.get_updates(limit=0)) == 1


@pytest.mark.parametrize(("beyond_newest", "left"), [(1, 0), (11, 0), (12, 2), (10**6, 2)])
async def test_far_offset_is_answered_from_the_head(
    telegram: TelegramStandIn, bot: Bot, beyond_newest: int, left: int
) -> None:
    telegram.say(7, "one")
    telegram.say(7, "two")
    newest = telegram.next_update_id - 1
    assert len(await bot.get_updates(offset=newest + beyond_newest)) == left


async def test_ids_that_restart_lower_come_after_those_before(
    telegram: TelegramStandIn, bot: Bot
) -> None:
    before = telegram.push({"message": {"chat": {"id": 7}}, "update_id": 900})
    telegram.say(7, "after a quiet week", update_id=5)
    assert [update["update_id"] for update in await raw_updates(telegram, 0)] == [before]
    assert [update["update_id"] for update in await raw_updates(telegram, before + 1)] == [5]
    assert await bot.get_updates(offset=6) == []


async def test_long_poll_is_answered_by_the_next_update(
    telegram: TelegramStandIn, bot: Bot
) -> None:
    poll = await begin_poll(telegram, bot)
    telegram.say(7, "one")
    telegram.say(7, "two")
    assert texts(await poll) == ["one", "two"]


async def test_long_poll_ends_empty(bot: Bot) -> None:
    assert await bot.get_updates(timeout=1) == []


async def test_second_poller_ends_the_first(telegram: TelegramStandIn, bot: Bot) -> None:
    first = await begin_poll(telegram, bot)
    second = await begin_poll(telegram, bot)
    with pytest.raises(TelegramConflictError, match=OTHER_POLLER):
        await first
    telegram.say(7, "for the second")
    assert texts(await second) == ["for the second"]


async def test_webhook_excludes_polling(telegram: TelegramStandIn, bot: Bot) -> None:
    poll = await begin_poll(telegram, bot)
    telegram_says = "terminated by setWebhook request"
    await bot.set_webhook("https://example.org/hook")
    with pytest.raises(TelegramConflictError, match=telegram_says):
        await poll
    with pytest.raises(TelegramConflictError, match="use deleteWebhook to delete the webhook"):
        await bot.get_updates()
    telegram.say(7, "one")
    info = await bot.get_webhook_info()
    assert (info.url, info.pending_update_count) == ("https://example.org/hook", 1)
    await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates() == []


async def test_allowed_updates_are_remembered(telegram: TelegramStandIn, bot: Bot) -> None:
    telegram.block(7)
    (blocked,) = await bot.get_updates(allowed_updates=["message"])
    assert blocked.my_chat_member is not None
    assert blocked.my_chat_member.new_chat_member.status == "kicked"
    await bot.get_updates(offset=blocked.update_id + 1)
    telegram.say(7, "which takes the block back, unasked for")
    assert texts(await bot.get_updates()) == ["which takes the block back, unasked for"]


async def test_wrong_token_is_refused(telegram: TelegramStandIn) -> None:
    stranger = bot_at(telegram.url, "4242:another-token")
    with pytest.raises(TelegramUnauthorizedError, match="Unauthorized"):
        await stranger.get_me()
    await stranger.session.close()


async def test_stopped_server_comes_back_with_its_queue(
    telegram: TelegramStandIn, bot: Bot
) -> None:
    telegram.say(7, "before")
    url = telegram.url
    await telegram.stop()
    telegram.say(7, "meanwhile")
    await telegram.start()
    assert telegram.url == url
    assert texts(await bot.get_updates()) == ["before", "meanwhile"]


async def test_new_server_gives_no_id_again(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = TelegramStandIn()
    newest = max(earlier.say(7, "hello") for _ in range(20))
    began = earlier.next_update_id
    monkeypatch.setattr("bot.standins.telegram.time.time", lambda: 1_800_000_000.0)
    later = TelegramStandIn()
    assert later.say(7, "hello") > newest
    assert later.next_update_id > began
    assert later.next_update_id < 2**31


async def raw_updates(telegram: TelegramStandIn, offset: int) -> list[dict[str, object]]:
    """Ask without aiogram, which would refuse an update that is no full message."""
    url = f"{telegram.url}/bot{TOKEN}/getUpdates"
    async with aiohttp.ClientSession() as http, http.get(url, params={"offset": offset}) as answer:
        result: list[dict[str, object]] = (await answer.json())["result"]
        return result
