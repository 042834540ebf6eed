"""What a name proves about its process, and what it does not."""

import os
import signal
import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from subprocess import Popen
from unittest.mock import patch

import pytest

from bot.identity import host_and_pid, is_dead, this_process

TELL_NAME = "from bot.identity import this_process; print(this_process(), flush=True); input()"


@pytest.fixture
async def other() -> AsyncIterator[Process]:
    """Another process, which prints its name and waits."""
    process = await create_subprocess_exec(sys.executable, "-c", TELL_NAME, stdin=PIPE, stdout=PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def name_of(process: Process) -> str:
    assert process.stdout
    return (await process.stdout.readline()).decode().strip()


async def test_a_process_that_runs_or_is_stopped_is_not_dead(other: Process) -> None:
    name = await name_of(other)
    assert not is_dead(name)
    other.send_signal(signal.SIGSTOP)
    assert not is_dead(name)
    assert not is_dead(this_process())


async def test_a_process_that_is_gone_is_dead(other: Process) -> None:
    name = await name_of(other)
    other.kill()
    await other.wait()
    assert is_dead(name)


def test_a_process_that_nobody_has_looked_after_is_dead() -> None:
    with Popen([sys.executable, "-c", TELL_NAME], stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdout
        name = process.stdout.readline().strip()
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_dead(name)


def test_a_number_that_another_process_has_by_now_proves_death() -> None:
    *where, started = this_process().split("/")
    assert is_dead("/".join([*where, str(int(started) - 1)]))


@pytest.mark.parametrize("place", [2, 3])
async def test_what_ran_elsewhere_is_unknown(other: Process, place: int) -> None:
    name = await name_of(other)
    other.kill()
    await other.wait()
    parts = name.split("/")
    parts[place] = "elsewhere"
    assert not is_dead("/".join(parts))


@pytest.mark.parametrize("name", ["", "somebody", "a/b/c/d/e", "host/-1/x/y", "a/b/c/d/e/f"])
def test_a_name_that_is_none_of_ours_is_unknown(name: str) -> None:
    assert not is_dead(name)


def test_without_proc_names_are_unique_and_prove_nothing() -> None:
    with patch("bot.identity._where_pids_mean_the_same", return_value=None):
        one, another = this_process(), this_process()
        assert one != another
        assert not is_dead(one)
    assert not is_dead(one)


def test_a_person_needs_only_the_host_and_the_number() -> None:
    host, pid, *_proof = this_process().split("/")
    assert host_and_pid(this_process()) == f"{host}/{pid}"
    assert host_and_pid("of-an-older-kind") == "of-an-older-kind"
    assert host_and_pid(None) == "somebody"
