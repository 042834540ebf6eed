"""An outage of the model costs one probe at a time, and nobody an apology who only waited."""

import asyncio
from typing import Any

import pytest

from bot.standins.news import HANG_SECONDS
from coordination.breaker import FAILURES_TO_OPEN
from llm.contract import ForGood, TryLater
from storage.database import Database
from storage.records import ConversationKey, InboundMessage
from tests.support.breaker_clock import MOST_PAUSE, Clock, breaker_by
from tests.support.facts import assert_guarantees
from tests.support.one_process import DUE_NOW, OneProcess
from tests.support.reminding import ALL_DUE, one_is_set
from tests.support.sweeping import SweepingProcess

pytestmark = pytest.mark.usefixtures("longest_pauses")

PEOPLE = [ConversationKey(chat_id, 0) for chat_id in range(601, 651)]
ATTEMPTS = "SELECT model_attempts FROM conversations"


class Model:
    """Away until it is back; says how often it was asked."""

    def __init__(self, process: OneProcess) -> None:
        self._process = process
        self.is_away = True
        self.requests = 0

    async def serve(self) -> None:
        while True:
            call = await self._process.writer.next_call()
            self.requests += 1
            if self.is_away:
                call.fail(TryLater("away"))
            else:
                call.answer("reply")


class Bot(SweepingProcess):
    """A process that sweeps, with a clock for its breaker."""

    def __init__(self, db: Database, **changed: Any) -> None:
        clock = Clock()
        super().__init__(db, "ada", limit=1, breaker=breaker_by(clock), **changed)
        self.clock = clock

    async def all_write(self) -> None:
        for key in PEOPLE:
            await self.receiver.receive(InboundMessage(key, 1, "hello"))


async def test_fifty_conversations_during_an_outage(db: Database) -> None:
    bot = Bot(db)
    model = Model(bot)
    serving = asyncio.create_task(model.serve())
    await bot.all_write()
    for _ in range(2 * FAILURES_TO_OPEN):
        await bot.sweep()
    assert model.requests == FAILURES_TO_OPEN
    for probes in range(1, 11):
        for _ in range(3):
            await bot.sweep()
        bot.clock.now += MOST_PAUSE
        await bot.sweep()
        assert model.requests == FAILURES_TO_OPEN + probes, "one probe when its time has come"
    attempts = [row.model_attempts for row in await db.fetch(ATTEMPTS, {})]
    assert sum(attempts) == FAILURES_TO_OPEN + 10
    assert max(attempts) < bot.rules.model_max_attempts
    assert bot.courier.sent == []
    model.is_away = False
    bot.clock.now += MOST_PAUSE
    async with asyncio.timeout(HANG_SECONDS):
        while len(bot.courier.sent) < len(PEOPLE):
            await db.fetch(DUE_NOW, {})
            await bot.sweep()
    serving.cancel()
    assert sorted(bot.courier.letters) == [(key, "reply") for key in PEOPLE]
    assert model.requests == FAILURES_TO_OPEN + 10 + len(PEOPLE)
    await assert_guarantees(db)


@pytest.mark.parametrize(
    ("most", "asked", "seen"), [(FAILURES_TO_OPEN, FAILURES_TO_OPEN, ["Sorry."]), (7, 9, [])]
)
async def test_a_lone_conversation_gets_its_apology_unless_the_model_is_known_to_be_away(
    db: Database, most: int, asked: int, seen: list[str]
) -> None:
    bot = Bot(db, model_max_attempts=most)
    model = Model(bot)
    serving = asyncio.create_task(model.serve())
    await bot.hear(1)
    for _ in range(9):
        bot.clock.now += MOST_PAUSE
        await db.fetch(DUE_NOW, {})
        await bot.sweep()
    serving.cancel()
    assert (model.requests, bot.courier.sent) == (asked, seen)
    await assert_guarantees(db)


async def test_replies_and_reminders_are_delivered_while_it_is_open(db: Database) -> None:
    bot = Bot(db)
    await bot.hear(1)
    await bot.answers("earlier")
    await one_is_set(db)
    await db.fetch(ALL_DUE, {})
    for _ in range(FAILURES_TO_OPEN):
        bot.breaker.failed(None)
    assert not bot.breaker.lets_through()
    await bot.hear(2)
    await bot.sweep()
    assert bot.courier.sent == ["earlier", "tea"]
    assert len(bot.writer.calls) == 1, "the new burst waits"
    bot.breaker.answered()
    async with bot.answering() as call:
        call.answer("at last")
    assert bot.courier.sent[-1] == "at last"
    await assert_guarantees(db)


async def test_a_refusal_is_an_answer(db: Database) -> None:
    bot = Bot(db)
    for _ in range(FAILURES_TO_OPEN - 1):
        bot.breaker.failed(None)
    await bot.hear(1)
    async with bot.answering() as call:
        call.fail(ForGood("refused"))
    bot.breaker.failed(None)
    assert not bot.breaker.is_open
