"""PostgreSQL starts late, goes away and comes back, restarts in good order and in bad."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import pytest
import pytest_asyncio

from bot.standins.answers import friendly_answer
from bot.standins.faults import Call
from bot.standins.model_calls import ModelCall
from storage.embedded import EmbeddedPostgres
from tests.processes.killing import LONG, is_message_to, subject_of, tell
from tests.support.crowd import FIRST_CHAT, crowd
from tests.support.gates import Gate
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import private_server
from tests.support.processes import BotProcess, bot_process
from tests.support.waiting import rows_of, until_settled

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("database away")]

RECEIVING, GENERATING, RECORDING, STOPPING = range(901, 905)
SIZE = 30
LEASE_SECONDS = 2
AWAY_SECONDS = 3
"""Longer than a lease: what was held has expired when the database is back."""
MODES: tuple[Literal["fast", "immediate"], ...] = ("fast", "immediate")
PARTS = "SELECT state, attempts FROM outbox WHERE chat_id = :chat_id ORDER BY part"


@dataclass
class Town:
    """Two processes and a database of their own, which goes and comes."""

    postgres: EmbeddedPostgres
    around: Neighbours
    processes: list[BotProcess]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def town() -> AsyncIterator[Town]:
    """Started while the database was away, on one that nobody had migrated."""
    async with private_server() as postgres, neighbours(postgres.dsn) as around:
        await postgres.stop()
        environment = around.environment(lease_ttl_seconds=LEASE_SECONDS)
        async with bot_process(environment) as one, bot_process(environment) as two:
            for process in (one, two):
                await process.logged("database_unavailable")
            await postgres.join()
            for process in (one, two):
                await process.logged("started")
            yield Town(postgres, around, [one, two])


async def test_g6_away_while_receiving_generating_and_recording(town: Town) -> None:
    around = town.around
    with holding_the_first(around) as (thinking, sending):
        around.telegram.say(GENERATING, f"{GENERATING}: hello")
        around.telegram.say(RECORDING, f"{RECORDING}: {LONG}")
        await thinking.arrival()
        await sending.arrival()
        await town.postgres.stop()
        thinking.open()
        sending.open()
        around.telegram.say(RECEIVING, f"{RECEIVING}: hello")
        await around.telegram.wait_for_reply(RECORDING)
        await asyncio.sleep(AWAY_SECONDS)
        await town.postgres.join()
        await around.telegram.wait_for_reply(RECEIVING)
        await until_settled(around.database_url)
    assert len(around.seen_by(RECEIVING)) == 1
    assert len(around.seen_by(GENERATING)) == 1
    assert [sent.text[-1] for sent in around.seen_by(RECORDING)] == ["a", "b", "c"]
    parts = await rows_of(around.database_url, PARTS, {"chat_id": RECORDING})
    assert [tuple(part) for part in parts] == [("sent", 1)] * 3


async def test_g1_g6_restarted_under_load(town: Town) -> None:
    around = town.around
    around.model.delay = 0.3
    async with crowd(around, SIZE) as people:
        for count, mode in enumerate(MODES, start=1):
            await around.telegram.wait_for_reply(FIRST_CHAT, count)
            await town.postgres.restart(mode)
        await around.telegram.wait_for_reply(FIRST_CHAT, 4)
    await until_settled(around.database_url)
    resent = sum(len(process.events("part_resent")) for process in town.processes)
    people.assert_each_line_answered_once(resent)


async def test_g7_a_stop_does_not_wait_for_the_database(town: Town) -> None:
    """The last of these tests: nobody runs any more afterwards."""
    with holding_the_first(town.around) as (thinking, _):
        town.around.telegram.say(STOPPING, f"{STOPPING}: hello")
        await thinking.arrival()
        await town.postgres.stop()
        for process in town.processes:
            process.signal(signal.SIGTERM)
        thinking.open()
        assert [await process.ended() for process in town.processes] == [0, 0]
    await town.postgres.join()


@contextmanager
def holding_the_first(around: Neighbours) -> Iterator[tuple[Gate, Gate]]:
    """Gates for the model's first answer, and for the first part sent to one chat."""
    thinking, sending = Gate(), Gate()

    async def hold_model(call: ModelCall) -> None:
        if subject_of(call) in (GENERATING, STOPPING) and not thinking.was_reached:
            await thinking.pass_through()

    async def hold_telegram(call: Call) -> None:
        if is_message_to(RECORDING, call) and not sending.was_reached:
            await sending.pass_through()

    around.model.answer = tell
    around.model.hook = hold_model
    around.telegram.hook = hold_telegram
    yield thinking, sending
    around.model.answer, around.model.hook, around.telegram.hook = friendly_answer, None, None
