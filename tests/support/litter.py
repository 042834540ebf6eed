"""Bots of one test that log to files; those that still live are killed at its end."""

import json
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from tests.support.forked import Forked, fork
from tests.support.surroundings import surroundings

DOOMED = "tests.support.doomed"


class ForkedBot:
    """A real process with `onereply run` in it."""

    def __init__(self, process: Forked, log: Path) -> None:
        self._process = process
        self.log = log

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it lives."""
        return self._process.returncode

    async def ended(self) -> int:
        """Its exit code, once it has one."""
        return await self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Signal it, unless it has ended."""
        self._process.send_signal(number)

    async def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        await self.ended()


class Litter:
    """The bots and their folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = count(1)
        self._bots: list[ForkedBot] = []

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
        doom = {
            "die": die,
            "passes": passes,
            "clock_shift": clock_shift,
            "clock_jumps_after": clock_jumps_after,
        }
        log = self._folder / f"bot-{next(self._names)}.log"
        with log.open("wb") as file:
            process = await fork(
                DOOMED,
                json.dumps(doom),
                environment=surroundings() | {"LOG_FORMAT": "json"} | dict(environment),
                folder=self._folder,
                out=file.fileno(),
                err=file.fileno(),
            )
        bot = ForkedBot(process, log)
        self._bots.append(bot)
        return bot

    async def end(self) -> None:
        """Kill whoever lives."""
        for bot in self._bots:
            await bot.kill()


@asynccontextmanager
async def litter() -> AsyncIterator[Litter]:
    """Where bots are forked for the length of the block."""
    with tempfile.TemporaryDirectory(prefix="onereply-") as folder:
        bots = Litter(Path(folder))
        try:
            yield bots
        finally:
            await bots.end()
