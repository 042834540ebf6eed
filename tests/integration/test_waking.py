"""Hints come in, in any number; so many conversations are answered at a time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.standins.news import HANG_SECONDS
from coordination.breaker import Breaker
from coordination.wake import Wakes
from storage import leases
from storage.database import Database
from storage.records import ConversationKey
from tests.support.acts import ADA, BOB, CAP, QUIET, TTL, say, take
from tests.support.gates import Gate
from tests.support.one_process import OneProcess

LONG_AGO = -3e9
CYD, DOT = ConversationKey(503, 0), ConversationKey(504, 0)


class Office:
    """Answers are under way until the test lets them be done."""

    def __init__(self, db: Database, limit: int) -> None:
        self.begun: list[ConversationKey] = []
        self.at_once: Counter[ConversationKey] = Counter()
        self.gates: dict[ConversationKey, Gate] = {}
        self.dead: set[str] = set()
        self.breaker = Breaker()
        self.wakes = Wakes(
            db,
            self.answer,
            holder="ada",
            limit=limit,
            is_dead=self.dead.__contains__,
            breaker=self.breaker,
        )

    async def answer(self, key: ConversationKey) -> None:
        self.begun.append(key)
        self.at_once[key] += 1
        assert self.at_once[key] == 1, "one task per conversation"
        await self.gates.setdefault(key, Gate()).pass_through()
        self.at_once[key] -= 1

    async def done(self, key: ConversationKey) -> None:
        """Let the answer to `key` be done, and what it makes room for begin."""
        gate = self.gates.pop(key)
        gate.open()
        async with asyncio.timeout(HANG_SECONDS):
            while self.at_once[key]:
                await asyncio.sleep(0)
        await settle()

    async def until_begun(self, count: int) -> ConversationKey:
        """The conversation that was begun as the so many-th."""
        async with asyncio.timeout(HANG_SECONDS):
            while len(self.begun) < count:
                await asyncio.sleep(0.005)
        return self.begun[count - 1]


async def settle() -> None:
    """Let every task that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest_asyncio.fixture
async def office(db: Database) -> AsyncIterator[Office]:
    office = Office(db, limit=2)
    yield office
    office.wakes.stop()
    office.wakes.cancel()
    await office.wakes.idle()


async def test_so_many_at_a_time_and_the_others_in_turn(office: Office) -> None:
    for key in (ADA, BOB, CYD, DOT):
        office.wakes.wake(key)
    await settle()
    assert office.begun == [ADA, BOB]
    await office.done(BOB)
    assert office.begun == [ADA, BOB, CYD]
    await office.done(ADA)
    assert office.begun == [ADA, BOB, CYD, DOT]


async def test_g8_any_number_of_hints_is_one_answer(office: Office) -> None:
    for key in (ADA, BOB, CYD, CYD, DOT, CYD):
        office.wakes.wake(key)
    await settle()
    await office.done(ADA)
    await office.done(BOB)
    assert office.begun == [ADA, BOB, CYD, DOT], "woken again while it waited, it kept its turn"


async def test_g6_a_hint_during_the_answer_is_not_lost(office: Office) -> None:
    office.wakes.wake(ADA)
    await settle()
    for _ in range(3):
        office.wakes.wake(ADA)
    await settle()
    assert office.begun == [ADA]
    await office.done(ADA)
    assert office.begun == [ADA, ADA]
    await office.done(ADA)
    assert office.begun == [ADA, ADA]


async def test_who_is_answered_already_holds_up_nobody(office: Office) -> None:
    for key in (ADA, ADA, BOB):
        office.wakes.wake(key)
    await settle()
    assert office.begun == [ADA, BOB]


async def test_a_failing_answer_leaves_room_for_the_others(db: Database) -> None:
    begun: list[ConversationKey] = []

    async def fail(key: ConversationKey) -> None:
        begun.append(key)
        raise ZeroDivisionError

    wakes = Wakes(db, fail, holder="ada", limit=1, is_dead=lambda _: False, breaker=Breaker())
    for key in (ADA, BOB):
        wakes.wake(key)
    await wakes.idle()
    assert begun == [ADA, BOB]


async def test_g7_stopping_begins_nothing_and_lets_the_running_be_done(office: Office) -> None:
    for key in (ADA, BOB, CYD):
        office.wakes.wake(key)
    await settle()
    office.wakes.stop()
    office.wakes.wake(DOT)
    idle = asyncio.create_task(office.wakes.idle())
    await office.done(ADA)
    assert not idle.done()
    await office.done(BOB)
    await idle
    assert office.begun == [ADA, BOB]


async def test_g6_a_sweep_finds_what_nobody_woke(office: Office, db: Database) -> None:
    await OneProcess(db, "bob").hear(1)
    await office.wakes.sweep()
    await settle()
    assert office.begun == [ADA]


async def test_g8_a_sweep_leaves_what_is_not_due_or_under_way(office: Office, db: Database) -> None:
    await OneProcess(db, "bob", quiet=QUIET * 100, cap=CAP * 100).hear(1)
    await office.wakes.sweep()
    await settle()
    assert office.begun == []


async def test_g8_a_sweep_does_not_wake_what_is_answered_here(office: Office, db: Database) -> None:
    await OneProcess(db, "ada").hear(1)
    await office.wakes.sweep()
    await settle()
    await OneProcess(db, "ada").take()
    await office.wakes.sweep()
    await office.done(ADA)
    assert office.begun == [ADA]


async def test_g3_a_sweep_leaves_what_another_process_answers(office: Office, db: Database) -> None:
    other = OneProcess(db, "bob")
    await other.hear(1)
    await other.take()
    await office.wakes.sweep()
    await settle()
    assert office.begun == []


async def test_g7_a_sweep_frees_what_the_dead_held(office: Office, db: Database) -> None:
    other = OneProcess(db, "bob", lease_ttl=TTL * 100)
    await other.hear(1)
    await other.take()
    office.dead.add("bob")
    await office.wakes.sweep()
    await settle()
    assert office.begun == [ADA]
    assert await leases.other_holders(db, holder="ada") == []


@pytest.mark.parametrize("living", ["ada", "cyd"])
async def test_g3_a_sweep_leaves_the_leases_of_the_living(
    office: Office, db: Database, living: str
) -> None:
    """Its own, too: nobody else is asked about."""
    other = OneProcess(db, living)
    await other.hear(1)
    taken = await other.take()
    office.dead.update({"ada", "bob"})
    await office.wakes.sweep()
    with other.holding(taken) as held:
        await other.keeper.beat()
        assert held.is_surely_valid()


async def backlog(db: Database, count: int) -> list[ConversationKey]:
    """Conversations that have long been due."""
    keys = [ConversationKey(chat_id, 0) for chat_id in range(601, 601 + count)]
    await say(db, 1, at=LONG_AGO, keys=keys)
    return keys


async def test_g6_a_backlog_does_not_wait_for_the_next_sweep(office: Office, db: Database) -> None:
    keys = await backlog(db, 7)
    await office.wakes.sweep()
    for count in range(1, 8):
        key = await office.until_begun(count)
        assert await take(db, "eve", at=0, key=key), "no longer due to this process"
        await office.done(key)
    assert sorted(office.begun) == keys


async def test_g6_who_writes_now_waits_for_no_backlog(office: Office, db: Database) -> None:
    await backlog(db, 7)
    await office.wakes.sweep()
    await settle()
    office.wakes.wake(ADA)
    first, _ = office.begun
    assert await take(db, "eve", at=0, key=first)
    await office.done(first)
    assert await office.until_begun(3) == ADA
