"""One date job per conversation, replaced when its window moves."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest_asyncio

from bot.schedule import Schedule
from bot.standins.news import HANG_SECONDS
from storage.records import ConversationKey

ADA, BOB = ConversationKey(501, 0), ConversationKey(501, 7)
SOON, LATER, MUCH_LATER = 0.01, 0.05, 3600.0


class Woken:
    """Who was woken, in order."""

    def __init__(self) -> None:
        self.keys: list[ConversationKey] = []
        self._new = asyncio.Event()

    def wake(self, key: ConversationKey) -> None:
        self.keys.append(key)
        self._new.set()

    async def until(self, key: ConversationKey) -> None:
        async with asyncio.timeout(HANG_SECONDS):
            while key not in self.keys:
                self._new.clear()
                await self._new.wait()


@pytest_asyncio.fixture
async def schedule() -> AsyncIterator[tuple[Schedule, Woken]]:
    schedule, woken = Schedule(), Woken()
    schedule.start(woken.wake)
    yield schedule, woken
    schedule.stop()


async def test_an_alarm_rings_once(schedule: tuple[Schedule, Woken]) -> None:
    alarms, woken = schedule
    alarms.set(ADA, SOON)
    alarms.set(BOB, LATER)
    await woken.until(BOB)
    assert woken.keys == [ADA, BOB]


async def test_an_alarm_that_is_set_again_rings_at_its_new_time_only(
    schedule: tuple[Schedule, Woken],
) -> None:
    alarms, woken = schedule
    alarms.set(ADA, SOON)
    alarms.set(ADA, MUCH_LATER)
    alarms.set(BOB, LATER)
    await woken.until(BOB)
    assert woken.keys == [BOB]


async def test_an_alarm_may_be_set_for_earlier(schedule: tuple[Schedule, Woken]) -> None:
    alarms, woken = schedule
    alarms.set(ADA, MUCH_LATER)
    alarms.set(ADA, SOON)
    await woken.until(ADA)
    assert woken.keys == [ADA]


async def test_an_alarm_that_is_overdue_rings_at_once(schedule: tuple[Schedule, Woken]) -> None:
    alarms, woken = schedule
    alarms.set(ADA, 0)
    alarms.set(BOB, -5)
    assert woken.keys == [ADA, BOB]


async def test_an_alarm_rings_however_late_the_loop_is(schedule: tuple[Schedule, Woken]) -> None:
    """APScheduler drops what is more than a second late, unless told otherwise."""
    alarms, woken = schedule
    alarms.set(ADA, SOON)
    time.sleep(SOON + 1.1)  # noqa: ASYNC251 (the loop is to be held up)
    await woken.until(ADA)


async def test_periodic_work_does_not_overtake_itself(schedule: tuple[Schedule, Woken]) -> None:
    alarms, woken = schedule
    begun: list[None] = []
    enough = asyncio.Event()

    async def never_done() -> None:
        begun.append(None)
        await asyncio.Event().wait()

    async def tick() -> None:
        woken.wake(BOB)
        if len(woken.keys) >= 5:
            enough.set()

    alarms.every(SOON, never_done, "never done")
    alarms.every(SOON, tick, "tick")
    async with asyncio.timeout(HANG_SECONDS):
        await enough.wait()
    assert len(begun) == 1
