"""The heartbeat: what it learns, and what it stops."""

import asyncio

import pytest

from bot.standins.news import HANG_SECONDS
from coordination.lease_keeper import Stop
from storage.database import Database, Unavailable
from storage.records import Seq
from tests.support.acts import ADA, take
from tests.support.gates import Gate
from tests.support.one_process import OneProcess
from tests.support.points import always_at, away

TAKEN_BY_ANOTHER = """
UPDATE conversations SET lease_holder = 'bob', lease_fence = lease_fence + 1 RETURNING 1
"""
EXPIRY = "SELECT lease_expires_at FROM conversations"


class Work:
    """Something that goes on until it is cancelled or let go."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.was_cancelled = False

    async def go_on(self) -> str:
        try:
            await self.gate.pass_through()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return "done"


async def test_g3_a_beat_renews_the_lease_and_disturbs_nothing(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    work = Work()
    with process.holding(await process.take()) as held:
        working = asyncio.create_task(held.unless_stopped(work.go_on()))
        [before] = await db.fetch(EXPIRY, {})
        await process.keeper.beat()
        [after] = await db.fetch(EXPIRY, {})
        work.gate.open()
        assert await working == "done"
    assert after.lease_expires_at > before.lease_expires_at


async def test_g3_a_beat_makes_a_doubtful_lease_sure_again(process: OneProcess) -> None:
    await process.hear(1)
    with process.holding(await process.take(), seconds_ago=31) as held:
        was_sure = held.is_surely_valid()
        await process.keeper.beat()
        assert (was_sure, held.is_surely_valid()) == (False, True)


async def test_g3_a_beat_notices_that_the_lease_is_lost(process: OneProcess, db: Database) -> None:
    await process.hear(1)
    work = Work()
    with process.holding(await process.take()) as held:
        working = asyncio.create_task(held.unless_stopped(work.go_on()))
        await work.gate.arrival()
        assert await take(db, "bob", at=0)
        await process.keeper.beat()
        assert await working is Stop.LEASE_LOST
        assert held.is_lost()
        assert not held.is_surely_valid()
    assert work.was_cancelled


async def test_g1_a_beat_notices_a_message_that_another_process_received(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    work = Work()
    with process.holding(await process.take()) as held:
        working = asyncio.create_task(held.unless_stopped(work.go_on()))
        await work.gate.arrival()
        await OneProcess(db, "bob").hear(2)
        await process.keeper.beat()
        assert await working is Stop.NEWER_MESSAGE
        assert held.is_surely_valid(), "the lease is still there to be released"
    assert work.was_cancelled


async def test_g5_a_final_run_is_not_stopped_by_a_message(db: Database) -> None:
    process = OneProcess(db, "ada", max_supersedes=0)
    await process.hear(1)
    work = Work()
    with process.holding(await process.take()) as held:
        working = asyncio.create_task(held.unless_stopped(work.go_on()))
        await work.gate.arrival()
        await process.hear(2)
        await process.keeper.beat()
        work.gate.open()
        assert await working == "done"


async def test_a_message_of_the_burst_itself_stops_nothing(process: OneProcess) -> None:
    """It was counted before the take, and is told of after it."""
    await process.hear(1)
    with process.holding(await process.take()) as held:
        process.keeper.counted(ADA, Seq(1), 0)
        assert await held.unless_stopped(asyncio.sleep(0, "done")) == "done"


async def test_a_delivery_is_not_stopped_by_a_message(process: OneProcess) -> None:
    await process.hear(1)
    process.courier.script = [RuntimeError()]
    await process.answers("reply")
    await process.db.fetch("UPDATE conversations SET deliver_after = now() RETURNING 1", {})
    with process.holding(await process.take()) as held:
        process.keeper.counted(ADA, Seq(9), 0)
        assert await held.unless_stopped(asyncio.sleep(0, "done")) == "done"


async def test_the_first_reason_to_stop_counts(process: OneProcess) -> None:
    await process.hear(1)
    with process.holding(await process.take()) as held:
        held.stop(Stop.NEWER_MESSAGE)
        held.stop(Stop.LEASE_LOST)
        assert await held.unless_stopped(Work().go_on()) is Stop.NEWER_MESSAGE


async def test_a_database_that_is_away_stops_nothing(process: OneProcess, db: Database) -> None:
    await process.hear(1)
    with process.holding(await process.take()) as held:
        db.at = always_at("before renew_leases", away)
        with pytest.raises(Unavailable):
            await process.keeper.beat()
        assert held.is_surely_valid()


async def test_a_lease_given_back_during_the_beat_harms_nobody(
    process: OneProcess, db: Database
) -> None:
    """The beat finds it gone; the next run of the same conversation goes on."""
    await process.hear(1)
    gate = Gate()
    db.at = always_at("before renew_leases", gate.pass_through)
    with process.holding(await process.take()):
        beating = asyncio.create_task(process.keeper.beat())
        await gate.arrival()
    with process.holding(await process.take()) as held:
        gate.open()
        await beating
        assert held.is_surely_valid()
        assert await held.unless_stopped(asyncio.sleep(0, "done")) == "done"


async def test_a_beat_with_nothing_to_keep_asks_nothing(process: OneProcess, db: Database) -> None:
    asked: list[str] = []

    async def note(where: str) -> None:
        asked.append(where)

    db.at = note
    await process.keeper.beat()
    assert asked == []


async def test_an_error_of_the_work_reaches_the_caller(process: OneProcess) -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    await process.hear(1)
    with process.holding(await process.take()) as held, pytest.raises(ZeroDivisionError):
        await held.unless_stopped(fail())


async def test_work_is_cancelled_with_its_caller(process: OneProcess) -> None:
    await process.hear(1)
    work = Work()
    with process.holding(await process.take()) as held:
        working = asyncio.create_task(held.unless_stopped(work.go_on()))
        await work.gate.arrival()
        working.cancel()
        async with asyncio.timeout(HANG_SECONDS):
            await asyncio.wait({working})
    assert work.was_cancelled


async def test_g3_a_loss_is_noted_even_by_a_run_that_was_stopped_before(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    with process.holding(await process.take()) as held:
        held.stop(Stop.BY_USER)
        assert await db.fetch(TAKEN_BY_ANOTHER, {})
        await process.keeper.beat()
        assert held.is_lost()
        assert not held.is_surely_valid()
