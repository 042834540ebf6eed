"""Reminders: set once, kept in the database, and delivered as replies are."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from coordination.ports import NotNow, Unreachable
from coordination.tools.toolbox import load
from coordination.wake import Wakes
from llm.contract import ForGood, TryLater
from storage import leases, reminders
from storage.database import Database
from storage.records import ConversationKey, InboundMessage
from tests.support.acts import ADA, BOB
from tests.support.ends import assert_answered, run_states
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess

TOOLS = load(["bot.tools.reminders"])
ALL_DUE = "UPDATE reminders SET due_at = now() - interval '1 s' RETURNING number"
DUE_NOW = "UPDATE windows SET retry_at = NULL RETURNING 1"
COUNTS = "SELECT superseded_count, model_attempts, answered_seq, inbound_seq FROM conversations"
REMINDERS = "SELECT number, text, state FROM reminders ORDER BY number"
IN_ORDER = """
SELECT chat_id, reply, state FROM runs WHERE kind = 'reminder' ORDER BY chat_id, number
"""
ONE_HOUR = timedelta(hours=1)


class Bot(OneProcess):
    """A process that sweeps."""

    def __init__(self, db: Database, holder: str, **changed: Any) -> None:
        super().__init__(db, holder, TOOLS, **changed)
        self.wakes = Wakes(
            db,
            self.answerer.answer,
            holder=holder,
            limit=2,
            is_dead=self.dead.__contains__,
            breaker=self.breaker,
        )

    async def sweep(self) -> None:
        """One, and all that comes of it."""
        await self.wakes.sweep()
        await self.wakes.idle()

    async def meet(self, key: ConversationKey) -> None:
        """A conversation with one message, which is answered."""
        await self.receiver.receive(InboundMessage(key, 1, "hello"))
        answering = asyncio.create_task(self.answerer.answer(key))
        (await self.writer.next_call()).answer("hello")
        await answering


@pytest.fixture
def bot(db: Database) -> Bot:
    return Bot(db, "ada")


async def said(bot: Bot, tool: str, **arguments: object) -> str:
    """What the model hears of one call in a run of its own."""
    async with bot.answering() as call:
        call.calls(tool, **arguments)
        then = await bot.writer.next_call()
        then.answer("Noted.")
    return then.turns[-1].text


async def one_is_set(db: Database, text: str = "tea", key: str = "k") -> None:
    await reminders.set_reminder(db, ADA, key=key, text=text, due_in=ONE_HOUR)


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


async def test_one_that_is_due_during_an_answer_comes_out_after_it(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    async with bot.answering() as call:
        await Bot(db, "bob").sweep()
        assert await reminders.post_due_reminders(db, holder="ada", most=9) == []
        call.answer("reply")
    await bot.sweep()
    assert bot.courier.sent == ["reply", "tea"]
    await assert_answered(db, 1)


async def test_a_message_during_a_reminder_is_answered_as_ever(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await bot.answers("first")
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    bot.courier.meanwhile = lambda: bot.hear(2)
    await bot.sweep()
    bot.courier.meanwhile = None
    await bot.answers("second")
    assert bot.courier.sent == ["first", "tea", "second"]
    await assert_answered(db, 2)


async def test_a_reminder_moves_no_watermark_and_resets_no_counter(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    async with bot.answering() as call:
        await bot.hear(2)
        assert call.turns
    async with bot.answering() as call:
        call.fail(TryLater("busy", 500))
    [before] = await db.fetch(COUNTS, {})
    assert tuple(before) == (1, 1, 0, 2)
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    await bot.sweep()
    assert bot.courier.sent == ["tea"]
    assert await db.fetch(COUNTS, {}) == [before]
    await db.fetch(DUE_NOW, {})
    await bot.answers("reply")
    assert bot.courier.sent == ["tea", "reply"]
    assert await run_states(db) == ["superseded", "postponed", "sent", "sent"]
    await assert_answered(db, 2)


async def test_a_burst_whose_run_was_lost_goes_first(bot: Bot, db: Database) -> None:
    """Its lease was freed: the run must still be told as lost, and the burst be answered."""
    other = Bot(db, "bob")
    await other.hear(1)
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    await other.take()
    assert await leases.free_leases_of(db, ["bob"])
    assert await reminders.post_due_reminders(db, holder="ada", most=9) == []
    await bot.answers("reply")
    await bot.sweep()
    assert bot.courier.sent == ["reply", "tea"]
    assert await run_states(db) == ["lost", "sent", "sent"]
    await bot.hear(2)
    await bot.answers("later")
    await assert_answered(db, 2)


async def test_somebody_who_blocked_the_bot(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await bot.answers("reply")
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    bot.courier.script = [Unreachable("blocked")]
    for _ in range(2):
        await bot.sweep()
    assert bot.courier.sent == ["reply", "tea"]
    assert await run_states(db) == ["sent", "undeliverable"]
    await bot.hear(2)
    await bot.answers("back again")
    await assert_answered(db, 2)


async def test_a_delivery_that_is_put_off_is_made_later(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await bot.answers("reply")
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    bot.courier.script = [NotNow("flood", 100)]
    await bot.sweep()
    await bot.sweep()
    assert bot.courier.sent == ["reply", "tea"], "not before its time"
    await db.fetch("UPDATE conversations SET deliver_after = now() RETURNING 1", {})
    await bot.sweep()
    assert bot.courier.sent == ["reply", "tea", "tea"]
    await assert_answered(db, 1)


async def test_every_due_one_comes_out_in_order_and_once(bot: Bot, db: Database) -> None:
    """More conversations than are answered at a time, and several in one of them."""
    keys = [ConversationKey(chat_id, 0) for chat_id in range(601, 606)]
    for key in keys:
        await bot.meet(key)
        for text in ("one", "two"):
            await reminders.set_reminder(db, key, key=text, text=text, due_in=ONE_HOUR)
    await db.fetch(ALL_DUE, {})
    other = Bot(db, "bob")
    for _ in range(3):
        await asyncio.gather(bot.sweep(), other.sweep())
    rows = await db.fetch(IN_ORDER, {})
    assert [tuple(row) for row in rows] == [
        (key.chat_id, text, "sent") for key in keys for text in ("one", "two")
    ]
    assert len(bot.courier.letters + other.courier.letters) == 3 * len(keys)
    await assert_guarantees(db)


async def test_the_undo_of_a_reminder_cancels_it(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    async with bot.answering() as call:
        call.calls("remind_me", text="tea", in_seconds=3600)
        (await bot.writer.next_call()).fail(ForGood("refused"))
    await bot.undoer.sweep()
    assert await stored(db) == [(1, "⏰ tea", "cancelled")]


async def test_the_model_knows_of_what_the_user_was_reminded(bot: Bot, db: Database) -> None:
    await bot.hear(1)
    await bot.answers("reply")
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    await bot.sweep()
    await bot.hear(2)
    async with bot.answering() as call:
        told = [turn.text for turn in call.turns]
        call.answer("second")
    assert "tea" in "\n".join(told)
    assert (told[0], told[-1]) == ("text 1", "text 2")
