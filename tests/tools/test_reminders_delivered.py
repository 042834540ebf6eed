"""Reminders are kept in the database and delivered as replies are, when nothing else is said."""

import asyncio

from bot.standins.news import HANG_SECONDS
from coordination.ports import NotNow, Unreachable
from llm.contract import TryLater
from storage import leases, reminders
from storage.database import Database
from storage.records import ConversationKey
from tests.support.ends import assert_answered, run_states
from tests.support.facts import assert_guarantees
from tests.support.one_process import DUE_NOW
from tests.support.reminding import ALL_DUE, ONE_HOUR, one_is_set
from tests.support.reminding import RemindingProcess as Bot

COUNTS = "SELECT superseded_count, model_attempts, answered_seq, inbound_seq FROM conversations"
IN_ORDER = """
SELECT chat_id, reply, state FROM runs WHERE kind = 'reminder' ORDER BY chat_id, number
"""


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
    # Either may pass over what the other holds at that moment.
    async with asyncio.timeout(HANG_SECONDS):
        while len(bot.courier.letters + other.courier.letters) < 3 * len(keys):
            await asyncio.gather(bot.sweep(), other.sweep())
    rows = await db.fetch(IN_ORDER, {})
    assert [tuple(row) for row in rows] == [
        (key.chat_id, text, "sent") for key in keys for text in ("one", "two")
    ]
    assert len(bot.courier.letters + other.courier.letters) == 3 * len(keys)
    await assert_guarantees(db)


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
    assert (told[1], told[-1]) == ("text 1", "text 2"), "after the time"
