"""Several processes on one database, hit one after the other while many people write."""

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from bot.standins.model_calls import ModelCall
from storage.embedded import EmbeddedPostgres
from tests.support.crowd import crowd
from tests.support.gates import Gate
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import EMPTY, fresh_database
from tests.support.processes import BotProcess, bot_process, frozen, poller
from tests.support.waiting import until_settled

HELD = 701
LEASE_SECONDS = 4
SIZE = 20


@pytest.fixture
async def around(postgres: EmbeddedPostgres) -> AsyncIterator[Neighbours]:
    async with fresh_database(postgres, EMPTY) as dsn, neighbours(dsn) as found:
        found.model.delay = 0.3
        yield found


@asynccontextmanager
async def four_processes(around: Neighbours) -> AsyncIterator[list[BotProcess]]:
    """All started at the same moment, on a database that none of them has migrated yet."""
    environment = around.environment(lease_ttl_seconds=LEASE_SECONDS)
    async with AsyncExitStack() as running:
        yield [await running.enter_async_context(bot_process(environment)) for _ in range(4)]


async def test_g1_g3_g7_whoever_polls_is_hit(around: Neighbours) -> None:
    async with four_processes(around) as processes:
        killed = await poller(processes, 1)
        async with crowd(around, SIZE) as people:
            await around.telegram.wait_for_reply(2001, 2)
            await killed.kill()
            terminated = await poller(processes, 2)
            assert await terminated.terminate() == 0
            zombie = await poller(processes, 3)
            [last] = [each for each in processes if each.is_running and each is not zombie]
            await freeze_until_replaced(around, zombie, last)
        await until_settled(around.database_url)
        assert await zombie.terminate() == 0
        assert await last.terminate() == 0
    resent = sum(len(process.events("part_resent")) for process in processes)
    people.assert_each_line_answered_once(resent)
    assert not last.events("polling_failed")


async def freeze_until_replaced(around: Neighbours, zombie: BotProcess, last: BotProcess) -> None:
    """Stop a process with a reply in its hands until the last one has sent that reply."""
    thinking = Gate()

    async def hold_the_first(call: ModelCall) -> None:
        if "hold this" in str(call.messages[-1]["content"]) and not thinking.was_reached:
            await thinking.pass_through()

    around.model.hook = hold_the_first
    async with frozen([last]):
        around.telegram.say(HELD, "hold this")
        await thinking.arrival()
        zombie.signal(signal.SIGSTOP)
    await last.logged("polling_started")
    await around.telegram.wait_for_reply(HELD)
    zombie.signal(signal.SIGCONT)
    thinking.open()
    await zombie.logged("lease_lost")
    await zombie.logged("polling_lease_lost")
    assert len(around.seen_by(HELD)) == 1
