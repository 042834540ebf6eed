"""Tools of two conversations on one shared resource: one at a time, and never a deadlock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.standins.news import HANG_SECONDS
from coordination.lease_keeper import Stop
from coordination.tools.resources import Resources
from storage import resources
from storage.database import Database
from storage.records import ConversationKey, InboundMessage
from tests.support.acts import ADA, BOB, TTL, after
from tests.support.edges import ModelCall
from tests.support.gates import Gate
from tests.support.one_process import OneProcess
from tests.support.points import once_at
from tests.support.tool_box import Shop

USERS = "SELECT resource FROM resource_leases WHERE holder IS NOT NULL ORDER BY resource"
ATTEMPTS = "SELECT chat_id FROM conversations WHERE model_attempts > 0"


async def taken(db: Database, holder: str, *, at: float, dead: tuple[str, ...] = ()) -> bool:
    lease = await resources.take_resource(
        db, "oven", holder=holder, ttl=TTL, dead=dead, now=after(at)
    )
    return lease is not None


async def test_one_at_a_time_until_release_expiry_or_death(db: Database) -> None:
    lease = await resources.take_resource(db, "oven", holder="ada 1", ttl=TTL, now=after(0))
    assert lease
    assert not await taken(db, "bob 1", at=1)
    assert await resources.user_of(db, "oven") == "ada 1"
    assert await resources.renew_resource(db, lease, ttl=TTL, now=after(10))
    assert not await taken(db, "bob 1", at=39)
    assert await taken(db, "bob 1", at=40), "expired"
    assert not await resources.renew_resource(db, lease, ttl=TTL, now=after(41))
    assert not await resources.release_resource(db, lease), "it is another's"
    assert await taken(db, "cyd 1", at=42, dead=("bob 1",)), "proved to be dead"
    assert not await taken(db, "ada 1", at=43)


@asynccontextmanager
async def answering(process: OneProcess, key: ConversationKey) -> AsyncIterator[ModelCall]:
    await process.receiver.receive(InboundMessage(key, 1, "hello"))
    task = asyncio.create_task(process.answerer.answer(key))
    yield await process.writer.next_call()
    async with asyncio.timeout(HANG_SECONDS):
        await task


@pytest.mark.parametrize("same_process", [True, False])
async def test_opposite_orders_do_not_block_each_other(
    db: Database, shop: Shop, same_process: bool
) -> None:
    ada = OneProcess(db, "ada", shop.box)
    bob = ada if same_process else OneProcess(db, "bob", shop.box)
    shop.gate = Gate()
    async with answering(ada, ADA) as first, answering(bob, BOB) as second:
        first.calls("use", names=["oven", "car"])
        second.calls("use", names=["car", "oven"])
        await shop.gate.arrival()
        held = [row.resource for row in await db.fetch(USERS, {})]
        assert held == ["car", "oven"]
        assert shop.effects == 0, "the other one is not at work beside it"
        shop.gate.open()
        for process in (ada, bob):
            (await process.writer.next_call()).answer("used")
    assert sorted(shop.done.values()) == [1, 1]
    assert await db.fetch(USERS, {}) == []
    assert await db.fetch(ATTEMPTS, {}) == [], "to find it in use is no failure"


async def test_many_at_once_exclude_each_other(db: Database) -> None:
    shared = Resources(db, ttl=TTL, is_dead=lambda _: False)
    at_work: set[str] = set()

    async def work(number: int) -> None:
        names = ["car", "oven"] if number % 2 else ["oven", "car"]
        async with shared.using(names, f"ada {number}"):
            assert not at_work
            at_work.add(str(number))
            await db.fetch("SELECT 1", {})
            at_work.clear()

    async with asyncio.timeout(HANG_SECONDS):
        await asyncio.gather(*map(work, range(12)))
    assert await db.fetch(USERS, {}) == []


async def test_what_a_dead_process_used_is_free(db: Database) -> None:
    for name in ("car", "oven"):
        assert await resources.take_resource(db, name, holder="bob 1 0 7", ttl=TTL)
    shared = Resources(db, ttl=TTL, is_dead=lambda holder: holder == "bob")
    async with asyncio.timeout(HANG_SECONDS), shared.using(["oven", "car"], "ada 1"):
        assert await resources.user_of(db, "car") == "ada 1"


async def test_a_run_that_is_stopped_in_the_very_take_leaves_nothing_in_use(
    db: Database, database_url: str, shop: Shop
) -> None:
    gate = Gate()
    held_up = Database(database_url, once_at("after take_resource", gate.pass_through))
    process = OneProcess(held_up, "ada", shop.box)
    async with answering(process, ADA) as call:
        call.calls("use", names=["oven"])
        await gate.arrival()
        process.keeper.stop_all(Stop.SHUTTING_DOWN)
        await asyncio.sleep(0)
        gate.open()
    assert (shop.effects, await db.fetch(USERS, {})) == (0, [])
    await held_up.close()


async def test_who_works_long_keeps_it(db: Database) -> None:
    short = timedelta(seconds=6)
    shared = Resources(db, ttl=short, is_dead=lambda _: False)
    async with shared.using(["oven"], "ada 1"):
        first = await db.fetch("SELECT expires_at FROM resource_leases", {})
        async with asyncio.timeout(HANG_SECONDS):
            while await db.fetch("SELECT expires_at FROM resource_leases", {}) == first:
                await asyncio.sleep(0.02)
        assert not await resources.take_resource(db, "oven", holder="bob 1", ttl=short)
