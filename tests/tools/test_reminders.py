"""Reminders: set once, listed, cancelled, and what cannot be one."""

import asyncio
from datetime import UTC, datetime

import pytest

from llm.contract import ForGood
from storage import reminders
from storage.database import Database
from tests.support.acts import ADA, BOB
from tests.support.ends import assert_answered
from tests.support.reminding import ALL_DUE, ONE_HOUR, one_is_set
from tests.support.reminding import RemindingProcess as Bot

REMINDERS = "SELECT number, text, state FROM reminders ORDER BY number"


async def said(bot: Bot, tool: str, **arguments: object) -> str:
    """What the model hears of one call in a run of its own."""
    async with bot.answering() as call:
        call.calls(tool, **arguments)
        then = await bot.writer.next_call()
        then.answer("Noted.")
    return then.turns[-1].text


async def stored(db: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await db.fetch(REMINDERS, {})]


async def test_one_is_set_and_comes_out_when_it_is_due(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    assert "is set" in await said(bot, "remind_me", text=" tea", in_seconds=3600)
    await bot.sweep()
    assert bot.courier.sent == ["Noted."]
    await db.fetch(ALL_DUE, {})
    for _ in range(3):
        await bot.sweep()
    assert bot.courier.sent == ["Noted.", "⏰ tea"]
    assert await stored(db) == [(1, "⏰ tea", "posted")]
    await assert_answered(db, 1)


async def test_they_are_listed_and_cancelled(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    at = datetime.now(UTC) + ONE_HOUR
    async with bot.answering() as call:
        call.calls("remind_me", text="tea", in_seconds=7200)
        then = await bot.writer.next_call()
        then.calls("remind_me", text="milk", at=at.isoformat())
        then = await bot.writer.next_call()
        then.calls("list_reminders")
        then = await bot.writer.next_call()
        milk, tea = then.turns[-1].text.splitlines()
        assert milk.startswith(f"2 ({at:%Y-%m-%d %H:%M:%S} UTC): milk")
        assert tea.startswith("1 (")
        then.calls("cancel_reminder", number=2)
        then = await bot.writer.next_call()
        assert then.turns[-1].text.endswith("milk is cancelled.")
        then.answer("Done.")
    await db.fetch(ALL_DUE, {})
    await bot.sweep()
    assert bot.courier.sent == ["Done.", "⏰ tea"]
    await bot.hear(2)
    assert await said(bot, "cancel_reminder", number=1) == "No reminder 1 is still to come."
    await bot.hear(3)
    assert "less than or equal" in await said(bot, "cancel_reminder", number=10**30)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"text": "x"}, "either in_seconds or at"),
        ({"text": "x", "in_seconds": 5, "at": "2100-01-01T00:00Z"}, "either in_seconds or at"),
        ({"text": "x", "in_seconds": 1e12}, "five years"),
        ({"text": "x", "at": "2001-01-01T00:00Z"}, "has passed"),
        ({"text": "x", "at": "2100-01-01T00:00"}, "timezone"),
        ({"text": "x", "in_seconds": -1}, "greater than 0"),
        ({"text": "", "in_seconds": 5}, "at least 1 character"),
        ({"text": "x" * 1001, "in_seconds": 5}, "longer than"),
        ({"text": " ", "in_seconds": 5}, "nothing to remind of"),
    ],
)
async def test_what_cannot_be_a_reminder_is_told_to_the_model(
    bot: Bot, db: Database, arguments: dict[str, object], why: str
) -> None:
    await bot.hear(1)
    assert why in await said(bot, "remind_me", **arguments)
    assert await stored(db) == []


async def test_the_same_key_sets_and_cancels_once(bot: Bot, db: Database) -> None:
    """A call that is repeated after a crash says the same as the first one."""
    await bot.hear(1)
    first, again = [
        await reminders.set_reminder(db, ADA, key="k", text="tea", due_in=ONE_HOUR)
        for _ in range(2)
    ]
    assert first == again
    cancelled = [await reminders.cancel_reminder(db, ADA, number=1) for _ in range(2)]
    assert cancelled == [first, first]
    assert await reminders.cancel_reminder(db, BOB, number=1) is None


async def test_many_set_at_once_have_numbers_of_their_own(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await asyncio.gather(*(one_is_set(db, key=f"k{number}") for number in range(2)))
    assert [number for number, *_ in await stored(db)] == [1, 2]


async def test_the_undo_of_a_reminder_cancels_it(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    async with bot.answering() as call:
        call.calls("remind_me", text="tea", in_seconds=3600)
        (await bot.writer.next_call()).fail(ForGood("refused"))
    await bot.undoer.sweep()
    assert await stored(db) == [(1, "⏰ tea", "cancelled")]
