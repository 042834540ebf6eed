"""One process with an embedded database: Telegram out of reach, a kill, Ctrl-C."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.standins.model_calls import ModelCall
from storage import embedded
from tests.support.embedded_process import postmaster_pid
from tests.support.gates import Gate
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import reachable_folder
from tests.support.processes import BotProcess, bot_process
from tests.support.waiting import until_settled

PEOPLE = range(1001, 1011)


@pytest.fixture
async def around() -> AsyncIterator[Neighbours]:
    async with neighbours("embedded") as found:
        yield found


async def test_g6_g7_telegram_away_a_kill_and_ctrl_c(around: Neighbours) -> None:
    with reachable_folder() as folder:
        data = folder / "postgres"
        environment = around.environment(embedded_data_dir=data)
        async with bot_process(environment) as first:
            await away_at_the_start(around, first)
            await away_while_generating(around, first)
            await settled(data)
            server = postmaster_pid(data)
            await first.kill()
        around.telegram.say(PEOPLE[0], "three")
        async with bot_process(environment) as second:
            await around.telegram.wait_for_reply(PEOPLE[0], 3)
            await settled(data)
            assert postmaster_pid(data) == server
            # As a terminal does: to the whole group, in which PostgreSQL must not be.
            os.killpg(second.pid, signal.SIGINT)
            assert await second.ended() == 0
        assert postmaster_pid(data) is None
    assert [len(around.seen_by(chat_id)) for chat_id in PEOPLE] == [3] + [2] * 9


async def away_at_the_start(around: Neighbours, process: BotProcess) -> None:
    await around.telegram.stop()
    for chat_id in PEOPLE:
        around.telegram.say(chat_id, "one")
    await process.logged("telegram_not_reached")
    await process.logged("polling_failed")
    await around.telegram.start()
    for chat_id in PEOPLE:
        await around.telegram.wait_for_reply(chat_id)


async def away_while_generating(around: Neighbours, process: BotProcess) -> None:
    """Replies are ready when nobody takes them, and people write to somebody who cannot hear."""
    thinking = {chat_id: Gate() for chat_id in PEOPLE[:5]}

    async def hold(call: ModelCall) -> None:
        await thinking[int(str(call.messages[-1]["content"]).split()[-1])].pass_through()

    around.model.hook = hold
    for chat_id, gate in thinking.items():
        around.telegram.say(chat_id, f"two from {chat_id}")
        await gate.arrival()
    around.model.hook = None
    await around.telegram.stop()
    for gate in thinking.values():
        gate.open()
    await process.logged("delivery_postponed", len(thinking))
    for chat_id in PEOPLE[5:]:
        around.telegram.say(chat_id, "two")
    await process.logged("polling_failed", 2)
    await around.telegram.start()
    for chat_id in PEOPLE:
        await around.telegram.wait_for_reply(chat_id, 2)


async def settled(data: Path) -> None:
    async with await embedded.start(data) as server:
        await until_settled(server.dsn)
