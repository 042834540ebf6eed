"""Speaks to the nursery: bots that start in milliseconds and can be killed by the hundred."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

from tests.support.processes import ROOT, surroundings


class ForkedBot:
    """A real process with `onereply run` in it."""

    def __init__(self, pid: int, log: Path) -> None:
        self.pid = pid
        self.log = log
        self.exit_code: int | None = None
        """None while it lives."""
        self._ended = asyncio.Event()

    async def ended(self) -> int:
        """Its exit code, once it has one."""
        await self._ended.wait()
        assert self.exit_code is not None
        return self.exit_code

    def has_ended(self, code: int) -> None:
        """Note it; who waits for it may have given up meanwhile."""
        self.exit_code = code
        self._ended.set()

    def signal(self, number: signal.Signals) -> None:
        """Signal it, unless it has ended."""
        if self.exit_code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def kill(self) -> None:
        """End it at once."""
        self.signal(signal.SIGKILL)
        await self.ended()


class Nursery:
    """Where bots are forked."""

    def __init__(self, process: Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._names = count(1)
        self._born: dict[str, asyncio.Future[int]] = {}
        self._alive: dict[int, ForkedBot] = {}
        self._listening = asyncio.create_task(self._listen())

    async def start(
        self,
        environment: Mapping[str, str],
        die: str | None = None,
        *,
        passes: int = 0,
        clock_shift: float = 0.0,
        clock_jumps_after: float = 0.0,
    ) -> ForkedBot:
        """Fork a bot; with `die` it kills itself at that step, after so many `passes` there."""
        name = f"bot-{next(self._names)}"
        log = self._folder / f"{name}.log"
        born = self._born[name] = asyncio.get_running_loop().create_future()
        order = {
            "name": name,
            "log": str(log),
            "folder": str(self._folder),
            "environment": surroundings() | {"LOG_FORMAT": "json"} | dict(environment),
            "die": die,
            "passes": passes,
            "clock_shift": clock_shift,
            "clock_jumps_after": clock_jumps_after,
        }
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        pid = await born
        bot = self._alive[pid]
        bot.log = log
        return bot

    async def close(self) -> None:
        """End the nursery and every child."""
        assert self._process.stdin
        self._process.stdin.close()
        await self._process.wait()
        await self._listening

    async def _listen(self) -> None:
        assert self._process.stdout
        async for raw in self._process.stdout:
            told = json.loads(raw)
            if "pid" in told:
                # Noted here, before its end can be told.
                self._alive[told["pid"]] = ForkedBot(told["pid"], self._folder)
                self._born.pop(told["name"]).set_result(told["pid"])
            elif "ended" in told:
                self._alive.pop(told["ended"]).has_ended(told["code"])


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery that is ready; all its children end with the block."""
    with tempfile.TemporaryDirectory(prefix="onereply-") as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.nursery",
            cwd=ROOT,
            env=surroundings(),
            stdin=PIPE,
            stdout=PIPE,
        )
        assert process.stdout
        assert json.loads(await process.stdout.readline()) == {"ready": True}
        nursing = Nursery(process, Path(folder))
        try:
            yield nursing
        finally:
            await nursing.close()
