"""From a seed to all that will happen."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

from tests.chaos.happenings import (
    Birth,
    Block,
    DatabaseTrouble,
    Freeze,
    Happening,
    Kill,
    Say,
    SayNonsense,
    Switch,
    Terminate,
)
from tests.chaos.troubles import DATABASE, STEPS, SWITCHES

FIRST_CHAT = 10_001
TOPICS = (0, 7, 8)
HOUR_SECONDS = 3600.0
AWAY_SECONDS = 60.0


@dataclass(frozen=True)
class Plan:
    """How much of everything."""

    seed: int
    seconds: float
    chats: int = 200
    processes: int = 3
    kills: int = 60
    bursts: int = 600
    away: str | None = None
    """`database` or `telegram`: that one is away for a minute in the middle."""
    lease_seconds: float = 2.5

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.seconds:.0f} s, {self.bursts} bursts over {self.chats} "
            f"chats, {self.processes} processes, {self.kills} kills"
            + (f", {self.away} away for {AWAY_SECONDS:.0f} s" if self.away else "")
        )


class Schedule:
    """All that will happen, in order."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._random = Random(plan.seed)  # noqa: S311
        self.happenings: list[Happening] = sorted(self._all(), key=lambda each: each.at)

    @property
    def fingerprint(self) -> str:
        """The same for the same plan."""
        return hashlib.sha256(repr(self.happenings).encode()).hexdigest()[:12]

    def _all(self) -> Iterator[Happening]:
        yield from self._bursts()
        yield from self._oddities()
        yield from self._ends_of_processes()
        yield from self._freezes()
        yield from self._switches()
        yield from self._database()

    def _bursts(self) -> Iterator[Happening]:
        chats = list(range(FIRST_CHAT, FIRST_CHAT + self._plan.chats))
        numbers = count(1)
        every = self._plan.seconds / self._plan.bursts
        for place in range(self._plan.bursts):
            # Everybody has their turn before somebody has the next.
            if place % len(chats) == 0:
                self._random.shuffle(chats)
            chat_id = chats[place % len(chats)]
            thread_id = self._random.choice(TOPICS) if chat_id % 5 == 0 else 0
            at = place * every + self._random.uniform(0, every)
            for _ in range(self._random.randint(1, 6)):
                yield Say(round(at, 3), chat_id, thread_id, next(numbers))
                # Mostly within the quiet time, sometimes while the reply is being written.
                at += self._random.choice((0.0, 0.1, 0.2, 0.3, 0.6, 1.2))

    def _oddities(self) -> Iterator[Happening]:
        for number in range(self._times(every=20)):
            yield SayNonsense(self._moment(), number + 1)
        for _ in range(self._times(every=15)):
            yield Block(self._moment(), FIRST_CHAT + self._random.randrange(self._plan.chats))

    def _ends_of_processes(self) -> Iterator[Happening]:
        for _ in range(self._plan.kills):
            yield Kill(self._moment(), self._slot(), self._birth())
        for _ in range(self._plan.kills // 5):
            yield Terminate(self._moment(), self._slot(), self._birth())

    def _birth(self) -> Birth:
        suicidal = self._random.random() < 0.4
        return Birth(
            pause=round(self._random.choice((0.0, 0.1, 0.5, 1.5)), 3),
            clock_shift=self._random.choice((0.0, 0.0, 0.0, HOUR_SECONDS, -HOUR_SECONDS)),
            clock_jumps_after=self._random.choice((0.0, 3.0)),
            die=self._random.choice(STEPS) if suicidal else None,
            passes=self._random.choice((0, 1, 3, 10)),
        )

    def _freezes(self) -> Iterator[Happening]:
        for _ in range(self._times(every=8)):
            lease = self._plan.lease_seconds
            seconds = round(self._random.uniform(0.5 * lease, 2 * lease), 3)
            yield Freeze(self._moment(), self._slot(), seconds)

    def _switches(self) -> Iterator[Happening]:
        for _ in range(self._times(every=3)):
            chosen = self._random.choice(SWITCHES)
            yield Switch(
                self._moment(),
                round(self._random.uniform(1, 6), 3),
                chosen.name,
                chosen.argument,
                round(self._random.uniform(0.1, chosen.highest_rate), 2),
                chosen.methods,
            )
        if self._plan.away == "telegram":
            yield Switch(self._middle(), AWAY_SECONDS, "telegram:away", None, 1.0, None)

    def _database(self) -> Iterator[Happening]:
        # One after the other, with a time between to get anything done.
        at = 4.0
        while (at := at + self._random.uniform(5, 15)) < self._plan.seconds:
            seconds = round(self._random.uniform(1, 4), 3)
            yield DatabaseTrouble(
                round(at, 3), seconds, self._random.choice(DATABASE), self._random.random()
            )
            at += seconds
        if self._plan.away == "database":
            yield DatabaseTrouble(self._middle(), AWAY_SECONDS, "away")

    def _moment(self) -> float:
        return round(self._random.uniform(0.5, self._plan.seconds), 3)

    def _middle(self) -> float:
        return self._plan.seconds / 2 - AWAY_SECONDS / 2

    def _slot(self) -> int:
        return self._random.randrange(self._plan.processes)

    def _times(self, *, every: float) -> int:
        return round(self._plan.seconds / every)
