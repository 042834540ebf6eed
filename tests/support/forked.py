"""Speaks to the nursery: processes that start in milliseconds and can be killed by the hundred."""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.support.surroundings import ROOT, surroundings


class ForkServer:
    """The nursery, from this side. There is one for all tests of this process."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno())],
                cwd=ROOT,
                env=surroundings(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._answer()

    def fork(self, order: Mapping[str, object], files: Sequence[int]) -> int:
        """Start a process; its pid."""
        socket.send_fds(self._orders, [json.dumps(order).encode()], files)
        return int(self._answer())

    def close(self) -> None:
        """End it and whatever it started."""
        self._orders.close()
        self._process.wait()

    def _answer(self) -> bytes:
        if not (answer := self._orders.recv(32)):
            raise RuntimeError("the nursery has ended; see what it wrote above")
        return answer


@cache
def _server() -> ForkServer:
    server = ForkServer()
    atexit.register(server.close)
    return server


class Forked:
    """A child of the nursery; it can be used like a process of asyncio."""

    def __init__(self, pid: int, fate: asyncio.StreamReader) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """None while it lives; negative for a signal."""
        self._ending = asyncio.create_task(self._end(fate))

    async def wait(self) -> int:
        """Its exit code, once it has one."""
        return await asyncio.shield(self._ending)

    def send_signal(self, number: signal.Signals) -> None:
        """Signal it, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    async def _end(self, fate: asyncio.StreamReader) -> int:
        self.returncode = int(await fate.read())
        return self.returncode


async def fork(
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    folder: Path,
    out: int,
    err: int,
) -> Forked:
    """Run `python -m module` there, with these files for what it prints and what it logs."""
    server = await asyncio.to_thread(_server)
    order = {
        "module": module,
        "arguments": arguments,
        "environment": dict(environment),
        "folder": str(folder),
    }
    fate, theirs = os.pipe()
    try:
        pid = server.fork(order, [out, err, theirs])
    finally:
        os.close(theirs)
    return Forked(pid, await _reader_of(fate))


async def fork_and_listen(
    module: str, *arguments: str, environment: Mapping[str, str], folder: Path
) -> tuple[Forked, asyncio.StreamReader, asyncio.StreamReader]:
    """The same, with readers of what it prints and of what it logs."""
    (printed, out), (logged, err) = os.pipe(), os.pipe()
    try:
        process = await fork(
            module, *arguments, environment=environment, folder=folder, out=out, err=err
        )
    finally:
        os.close(out)
        os.close(err)
    return process, await _reader_of(printed), await _reader_of(logged)


async def _reader_of(pipe: int) -> asyncio.StreamReader:
    """What comes through this end of a pipe, which is closed at its end."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pipe, "rb", buffering=0)
    )
    return reader
