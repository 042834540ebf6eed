"""Bot processes: as soon as one ends, another takes its place."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.happenings import Birth, Freeze, Kill, Terminate
from tests.support.litter import ForkedBot, Litter

LONGEST_STOP_SECONDS = 30.0


@dataclass
class Life:
    """One process, from its start to its end; times are monotonic."""

    pid: int
    log: Path
    birth: Birth
    began: float
    ended: float | None = None
    code: int | None = None
    signalled: list[signal.Signals] = field(default_factory=list)
    frozen: list[tuple[float, float]] = field(default_factory=list)

    @property
    def end(self) -> str:
        """How it ended, in a word; "unasked" if nobody meant it to."""
        if self.code == -signal.SIGKILL:
            killed = signal.SIGKILL in self.signalled
            return "killed" if killed else "killed at a step" if self.birth.die else "unasked"
        if signal.SIGTERM in self.signalled and self.code in (0, -signal.SIGTERM):
            return "terminated"
        return "unasked"


class Slot:
    """A place for one process at a time."""

    def __init__(self, bots: Litter, environment: Mapping[str, str]) -> None:
        self._bots = bots
        self._environment = environment
        self._next = Birth(pause=0)
        self._bot: ForkedBot | None = None
        self._closing = asyncio.Event()
        self.lives: list[Life] = []
        self._living = asyncio.create_task(self._live())

    def end(self, how: Kill | Terminate) -> None:
        """Signal whoever is there; the next to come is as the schedule says."""
        self._next = how.successor
        self._signal(signal.SIGKILL if isinstance(how, Kill) else signal.SIGTERM)

    async def freeze(self, freeze: Freeze) -> None:
        """Stop whoever is there, and let it go on."""
        bot, began = self._bot, time.monotonic()
        if bot is None or bot.exit_code is not None:
            return
        life = self.lives[-1]
        bot.signal(signal.SIGSTOP)
        await asyncio.sleep(freeze.seconds)
        bot.signal(signal.SIGCONT)
        life.frozen.append((began, time.monotonic()))

    async def close(self) -> None:
        """Ask the last one to stop and wait for it."""
        self._closing.set()
        self._signal(signal.SIGTERM)
        done, _ = await asyncio.wait({self._living}, timeout=LONGEST_STOP_SECONDS)
        if not done:
            self._signal(signal.SIGABRT)
        await self._living

    def abandon(self) -> None:
        """Let nobody follow the one who is there."""
        self._living.cancel()

    def _signal(self, number: signal.Signals) -> None:
        if self._bot is not None and self._bot.exit_code is None:
            self.lives[-1].signalled.append(number)
            self._bot.signal(number)

    async def _live(self) -> None:
        while not self._closing.is_set():
            birth, self._next = self._next, Birth()
            await asyncio.sleep(birth.pause)
            if self._closing.is_set():
                return
            self._bot = await self._bots.start(
                self._environment,
                birth.die,
                passes=birth.passes,
                clock_shift=birth.clock_shift,
                clock_jumps_after=birth.clock_jumps_after,
            )
            life = Life(self._bot.pid, self._bot.log, birth, time.monotonic())
            self.lives.append(life)
            if self._closing.is_set():
                self._signal(signal.SIGTERM)
            life.code = await self._bot.ended()
            life.ended = time.monotonic()


def ends(lives: list[Life]) -> Counter[str]:
    """How often processes ended in which way."""
    return Counter(life.end for life in lives if life.ended is not None)
