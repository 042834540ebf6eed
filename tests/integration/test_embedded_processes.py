"""The embedded server as several processes share it, and as they die."""

import asyncio
from pathlib import Path

import pytest

from storage import embedded
from tests.support.embedded_process import ask, joined, leave, postmaster_pid, user_process


@pytest.fixture
def data_dir(folder: Path) -> Path:
    return folder / "postgres"


async def test_the_last_to_leave_stops_the_server(data_dir: Path) -> None:
    async with user_process(data_dir) as first, user_process(data_dir) as second:
        dsns = await asyncio.gather(joined(first), joined(second))
        assert dsns[0] == dsns[1]
        await leave(first)
        assert await ask(dsns[1], "SELECT 1") == 1
        await leave(second)
        assert postmaster_pid(data_dir) is None


async def test_the_one_that_started_it_may_leave_first(data_dir: Path) -> None:
    async with user_process(data_dir) as first:
        await joined(first)
        pid = postmaster_pid(data_dir)
        async with await embedded.start(data_dir, durable=False) as server:
            await leave(first)
            assert await ask(server.dsn, "SELECT 1") == 1
            assert postmaster_pid(data_dir) == pid
    assert postmaster_pid(data_dir) is None


async def test_a_start_joins_the_server_of_a_killed_process(data_dir: Path) -> None:
    async with user_process(data_dir) as owner:
        dsn = await joined(owner)
        await ask(dsn, "CREATE TABLE kept AS SELECT 1 AS value")
        pid = postmaster_pid(data_dir)
        owner.kill()
        await owner.wait()
    async with await embedded.start(data_dir, durable=False) as server:
        assert postmaster_pid(data_dir) == pid
        assert await ask(server.dsn, "SELECT value FROM kept") == 1
    assert postmaster_pid(data_dir) is None


async def test_a_kill_while_the_data_is_made_leaves_nothing_half_done(data_dir: Path) -> None:
    async with user_process(data_dir) as owner:
        # On a machine that stalled just then it is made before anybody looked.
        while not (_being_made(data_dir) or (data_dir / "cluster").exists()):
            await asyncio.sleep(0.005)
        owner.kill()
        await owner.wait()
    # The killed process's initdb is still at work.
    async with await embedded.start(data_dir, durable=False) as server:
        assert await ask(server.dsn, "SELECT current_database()") == "onereply"


async def test_a_killed_start_and_its_successor_agree_on_one_server(data_dir: Path) -> None:
    async with await embedded.start(data_dir, durable=False):
        pass
    async with user_process(data_dir) as owner:
        while postmaster_pid(data_dir) is None:
            await asyncio.sleep(0.001)
        owner.kill()
        await owner.wait()
    async with await embedded.start(data_dir, durable=False) as server:
        assert await ask(server.dsn, "SELECT 1") == 1
    assert postmaster_pid(data_dir) is None


def _being_made(data_dir: Path) -> bool:
    return any(data_dir.glob("cluster.unfinished-*/base"))
