"""Faults by name, which one switches on and off while a stand-in runs.

A switch that is on strikes with a probability, from a seed, or so many times, or until it is
switched off. What a strike does is the stand-in's business.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from random import Random
from typing import TypeVar

from bot.standins.faults import Stall
from bot.standins.news import HANG_SECONDS
from bot.standins.switch_kinds import Kind, Setting, SwitchError

F = TypeVar("F")


class Switches:
    """All the switches of one stand-in."""

    def __init__(self, kinds: Iterable[Kind], seed: int = 0) -> None:
        self.kinds = {kind.name: kind for kind in kinds}
        self.seed = seed
        self.struck: Counter[str] = Counter()
        self.changed: Callable[[Kind], None] = lambda _kind: None
        """Told of what is switched by hand; a switch whose strikes are spent goes off silently."""
        self._on: dict[str, Setting] = {}
        self._randoms: dict[str, Random] = {}
        self._news = asyncio.Event()

    def on(
        self,
        name: str,
        argument: float | None = None,
        *,
        rate: float = 1.0,
        count: int | None = None,
        methods: Collection[str] | None = None,
    ) -> None:
        """Switch on, or set anew: see `Kind.setting`."""
        setting = self.kind(name).setting(argument, rate=rate, count=count, methods=methods)
        self.set(name, setting)

    def off(self, name: str) -> None:
        """Switch off; what is off already stays so."""
        self.set(name, None)

    def all_off(self) -> None:
        """Switch everything off."""
        for name in list(self._on):
            self.off(name)

    def set(self, name: str, setting: Setting | None) -> None:
        """Switch on as `setting` says, or off for None."""
        kind = self.kind(name)
        if setting is not None:
            self._on[name] = setting
        elif self._on.pop(name, None) is None:
            return
        self.changed(kind)

    def get(self, name: str) -> Setting | None:
        """How a switch is set; None: it is off."""
        return self._on.get(name)

    def kind(self, name: str) -> Kind:
        """Look a switch up by its name."""
        try:
            return self.kinds[name]
        except KeyError:
            raise SwitchError(f"no fault is called {name!r}: {', '.join(self.kinds)}") from None

    def sow(self, seed: int) -> None:
        """Begin the random series again, from another seed."""
        self.seed = seed
        self._randoms.clear()

    def random(self, name: str) -> Random:
        """The random series of one switch, which no other switch disturbs."""
        return self._randoms.setdefault(name, Random(f"{self.seed}/{name}"))  # noqa: S311

    def strikes(self, name: str, method: str) -> Setting | None:
        """Whether the switch strikes here and now; each time it is asked is one chance."""
        setting = self._on.get(name)
        if setting is None or not setting.touches(method):
            return None
        if self.random(name).random() >= setting.rate:
            return None
        if setting.left is not None:
            left = setting.left - 1
            if left:
                self._on[name] = replace(setting, left=left)
            else:
                del self._on[name]
        self.struck[name] += 1
        self._news.set()
        self._news = asyncio.Event()
        return setting

    def met(self, faults: Iterable[tuple[Kind, Callable[[float], F]]], method: str) -> list[F]:
        """What a call meets: perhaps a delay, and then at most one thing more."""
        met: list[F] = []
        for kind, fault in faults:
            if struck := self.strikes(kind.name, method):
                met.append(fault(struck.argument))
                if not isinstance(met[-1], Stall):
                    break
        return met

    async def wait_for_strikes(
        self,
        name: str,
        count: int = 1,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> None:
        """Return as soon as the switch ever struck so many times."""
        try:
            async with asyncio.timeout(timeout):
                while self.struck[name] < count:
                    await self._news.wait()
        except TimeoutError:
            raise TimeoutError(f"{name} struck {self.struck[name]} of {count} times") from None
