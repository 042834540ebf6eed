"""One process polls, the others stand by and take over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.standins.news import HANG_SECONDS
from coordination.leadership import Leadership
from storage.database import Database
from storage.leadership import poller_of
from tests.support.gates import Gate
from tests.support.points import always_at, away, once_at
from tests.support.waiting import opened

BOT = 4242
SHORT, LONG = timedelta(seconds=0.3), timedelta(seconds=300)


class Candidate:
    """A process that would poll; its work goes on until it is stopped."""

    def __init__(self, db: Database, holder: str, ttl: timedelta = LONG) -> None:
        self.dead: set[str] = set()
        self.stopping = asyncio.Event()
        self.works, self.has_ended = asyncio.Event(), asyncio.Event()
        self.leadership = Leadership(
            db, BOT, holder=holder, ttl=ttl, is_dead=self.dead.__contains__
        )

    async def work(self, stopping: asyncio.Event) -> None:
        self.works.set()
        try:
            await stopping.wait()
        finally:
            self.has_ended.set()

    async def lead(self) -> None:
        await self.leadership.lead(self.work, self.stopping)

    async def until_it_works(self) -> None:
        async with asyncio.timeout(HANG_SECONDS):
            await self.works.wait()

    async def until_its_work_has_ended(self) -> None:
        async with asyncio.timeout(HANG_SECONDS):
            await self.has_ended.wait()


@asynccontextmanager
async def leading(candidate: Candidate) -> AsyncIterator[asyncio.Task[None]]:
    """It stands for the length of the block, and must stop in good order."""
    task = asyncio.create_task(candidate.lead())
    try:
        yield task
    finally:
        candidate.stopping.set()
        async with asyncio.timeout(HANG_SECONDS):
            await asyncio.wait({task})
    if not task.cancelled():
        task.result()


async def die(task: asyncio.Task[None]) -> None:
    """Nothing is released."""
    task.cancel()
    await asyncio.wait({task})


async def test_one_leads_and_says_so(db: Database) -> None:
    ada = Candidate(db, "ada")
    said = [ada.leadership.is_leader]
    async with leading(ada):
        await ada.until_it_works()
        said.append(ada.leadership.is_leader)
        assert await poller_of(db, BOT) == "ada"
    said.append(ada.leadership.is_leader)
    assert said == [False, True, False]
    assert await poller_of(db, BOT) is None


async def test_g7_a_leader_that_stops_lets_another_lead_at_once(db: Database) -> None:
    ada, bob = Candidate(db, "ada"), Candidate(db, "bob")
    async with leading(ada):
        await ada.until_it_works()
        async with leading(bob):
            ada.stopping.set()
            await bob.until_it_works()
            assert ada.has_ended.is_set()


async def test_g7_a_dead_leader_is_followed_when_its_lease_expires(db: Database) -> None:
    ada, bob = Candidate(db, "ada", SHORT), Candidate(db, "bob", SHORT)
    async with leading(ada) as leader:
        await ada.until_it_works()
        async with leading(bob):
            await die(leader)
            assert not bob.works.is_set()
            await bob.until_it_works()


async def test_g7_a_leader_proved_dead_is_followed_at_once(db: Database) -> None:
    ada, bob = Candidate(db, "ada"), Candidate(db, "bob")
    async with leading(ada) as leader:
        await ada.until_it_works()
        await die(leader)
    bob.dead.add("ada")
    async with leading(bob):
        await bob.until_it_works()


async def test_g3_a_living_leader_is_left_alone(db: Database, database_url: str) -> None:
    async with opened(database_url) as other:
        ada, bob = Candidate(db, "ada"), Candidate(other, "bob")
        tried = Gate()
        async with leading(ada):
            await ada.until_it_works()
            other.at = once_at("after take_polling", tried.pass_through)
            async with leading(bob):
                await tried.arrival()
                assert await poller_of(db, BOT) == "ada"
                tried.open()
        assert not bob.works.is_set()


async def test_g3_a_leader_that_lost_its_lease_stops_working(db: Database) -> None:
    ada, bob = Candidate(db, "ada", SHORT), Candidate(db, "bob")
    bob.dead.add("ada")
    async with leading(ada):
        await ada.until_it_works()
        async with leading(bob):
            await bob.until_it_works()
            await ada.until_its_work_has_ended()
            assert not ada.leadership.is_leader
            assert bob.leadership.is_leader


async def test_g3_a_leader_that_cannot_renew_stops_before_its_lease_is_over(db: Database) -> None:
    ada = Candidate(db, "ada", SHORT)
    async with leading(ada):
        await ada.until_it_works()
        db.at = always_at("before renew_polling", away)
        await ada.until_its_work_has_ended()


async def test_g3_a_leader_whose_renewal_hangs_stops_before_its_lease_is_over(
    db: Database,
) -> None:
    ada, gate = Candidate(db, "ada", SHORT), Gate()
    async with leading(ada):
        await ada.until_it_works()
        db.at = always_at("before renew_polling", gate.pass_through)
        await gate.arrival()
        await ada.until_its_work_has_ended()
        gate.open()


async def test_g7_a_candidate_outlives_a_database_that_is_away(db: Database) -> None:
    ada = Candidate(db, "ada", SHORT)
    db.at = once_at("before take_polling", away)
    async with leading(ada):
        await ada.until_it_works()


async def test_an_error_of_the_work_ends_the_candidacy(db: Database) -> None:
    ada = Candidate(db, "ada")

    async def fail(_stopping: asyncio.Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await ada.leadership.lead(fail, ada.stopping)
    assert not ada.leadership.is_leader
