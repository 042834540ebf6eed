"""Who waits for a model that is away is told so once, and that promise is kept."""

from datetime import timedelta

import pytest

from coordination.breaker import FAILURES_TO_OPEN, LATELY_SECONDS, Breaker
from coordination.outage import MOST_AT_A_TIME, OutageNotices
from llm.contract import TryLater
from storage.database import Database
from storage.records import ConversationKey, InboundMessage
from tests.support.acts import ADA
from tests.support.breaker_clock import Clock
from tests.support.facts import assert_guarantees
from tests.support.one_process import DUE_NOW, OneProcess

TELLINGS = "SELECT correlation_id, holder FROM events WHERE type = 'told_to_wait' ORDER BY 1"
CLOSED_AGO = """
UPDATE windows SET opened_at = opened_at - CAST(:ago AS interval),
    closes_at = closes_at - CAST(:ago AS interval)
RETURNING 1
"""
SHORT, LONG = 59.0, 61.0
AT_ONCE = timedelta(0)


class Bot(OneProcess):
    """A process that tells those who wait."""

    def __init__(self, db: Database, name: str = "ada", after: timedelta = AT_ONCE) -> None:
        self.clock = Clock()
        super().__init__(db, name, breaker=Breaker(clock=self.clock))
        self.said: list[tuple[ConversationKey, str]] = []
        self.notices = OutageNotices(
            db, self.breaker, self.voice, self._say, holder=name, after=after
        )

    def _say(self, key: ConversationKey, text: str) -> None:
        self.said.append((key, text))

    def finds_the_model_away(self) -> None:
        for _ in range(FAILURES_TO_OPEN):
            self.breaker.failed(None)


async def test_nobody_is_told_while_the_model_answers(db: Database) -> None:
    bot = Bot(db)
    await bot.hear(1)
    await bot.notices.look()
    assert bot.said == []


@pytest.mark.parametrize(
    ("waited", "away", "told"),
    [(LONG, LONG, 1), (LONG, SHORT, 0), (SHORT, LONG, 0)],
    ids=["both long", "an old message, and a model that just went away", "a new message"],
)
async def test_nobody_is_told_before_it_took_long(
    db: Database, waited: float, away: float, told: int
) -> None:
    bot = Bot(db, after=timedelta(seconds=60))
    bot.finds_the_model_away()
    bot.clock.now += away
    await bot.hear(1)
    await db.fetch(CLOSED_AGO, {"ago": timedelta(seconds=waited)})
    await bot.notices.look()
    assert len(bot.said) == told


async def test_each_burst_is_told_once_by_whichever_process(db: Database) -> None:
    bot, other = Bot(db), Bot(db, "bob")
    for each in (bot, other):
        each.finds_the_model_away()
    await bot.hear(1)
    await bot.notices.look()
    await bot.hear(2)
    for each in (other, bot):
        await each.notices.look()
    bot.breaker.answered()
    await bot.answers("here you are")
    await other.hear(3)
    for each in (other, bot):
        await each.notices.look()
    assert (bot.said, other.said) == ([(ADA, "Wait.")], [(ADA, "Wait.")])
    rows = await db.fetch(TELLINGS, {})
    assert [tuple(row) for row in rows] == [(1, "ada"), (3, "bob")]
    await assert_guarantees(db)


async def test_who_is_being_answered_is_not_told(db: Database) -> None:
    bot, other = Bot(db), Bot(db, "bob")
    await bot.hear(1)
    async with bot.answering() as call:
        other.finds_the_model_away()
        await other.notices.look()
        call.answer("here you are")
    await other.notices.look()
    assert other.said == []


async def test_a_crowd_is_told_little_by_little(db: Database) -> None:
    bot = Bot(db)
    bot.finds_the_model_away()
    crowd = [ConversationKey(chat_id, 0) for chat_id in range(1, MOST_AT_A_TIME + 3)]
    for key in crowd:
        await bot.receiver.receive(InboundMessage(key, 1, "hello"))
    await bot.notices.look()
    assert [key for key, _ in bot.said] == crowd[:MOST_AT_A_TIME]
    await bot.notices.look()
    await bot.notices.look()
    assert [key for key, _ in bot.said] == crowd


@pytest.mark.parametrize("error", [TryLater("away"), ZeroDivisionError()], ids=repr)
async def test_a_promise_outlives_the_process_that_gave_it(db: Database, error: Exception) -> None:
    first = Bot(db)
    first.finds_the_model_away()
    await first.hear(1)
    await first.notices.look()
    second = Bot(db, "bob")
    for _ in range(second.rules.model_max_attempts + 1):
        async with second.answering() as call:
            call.fail(error)
        await db.fetch(DUE_NOW, {})
    assert second.courier.sent == []
    await second.answers("at last")
    assert second.courier.sent == ["at last"]
    await assert_guarantees(db)


async def test_a_model_that_is_back_and_fails_this_burst_only_ends_the_promise(
    db: Database,
) -> None:
    bot = Bot(db)
    bot.finds_the_model_away()
    await bot.hear(1)
    await bot.notices.look()
    bot.breaker.answered()
    for _ in range(bot.rules.model_max_attempts):
        async with bot.answering() as call:
            call.fail(TryLater("too much for me"))
        await db.fetch(DUE_NOW, {})
    assert bot.courier.sent == ["Sorry."]
    await assert_guarantees(db)


async def test_an_answer_from_before_the_outage_ends_no_promise(db: Database) -> None:
    bot = Bot(db)
    bot.finds_the_model_away()
    await bot.hear(1)
    await bot.notices.look()
    other = Bot(db, "bob")
    other.breaker.answered()
    other.clock.now += LATELY_SECONDS
    for _ in range(other.rules.model_max_attempts):
        async with other.answering() as call:
            call.fail(TryLater("away"))
        await db.fetch(DUE_NOW, {})
    assert other.courier.sent == []
    other.breaker.answered()
    async with other.answering() as call:
        call.fail(TryLater("too much for me"))
    assert other.courier.sent == ["Sorry."]
    await assert_guarantees(db)
