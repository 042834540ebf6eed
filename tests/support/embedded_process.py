"""Other processes that use an embedded server, and a look at the server itself."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from storage.embedded.postmaster import read_pid_file

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def user_process(data_dir: Path) -> AsyncIterator[Process]:
    """A process on its way to join the server; killed at the end if it has not left."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.embedded_user", str(data_dir)),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def joined(process: Process) -> str:
    """Wait until the process has joined, and return the DSN it was given."""
    assert process.stdout
    line = (await process.stdout.readline()).decode().strip()
    assert line, "the process ended before it joined"
    return line


async def leave(process: Process) -> None:
    assert process.stdin
    process.stdin.close()
    assert await process.wait() == 0


async def ask(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


def postmaster_pid(data_dir: Path) -> int | None:
    """The number in the pid file, which a server that shut down in good order has removed."""
    found = read_pid_file(data_dir / "cluster")
    return found.pid if found else None
