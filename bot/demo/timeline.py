"""What happened, told in order while it happens."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, time

import typer

# Facts come from three observers; the slowest has spoken after this long.
SETTLED_SECONDS = 1.0
TIME_WIDTH, TOPIC_WIDTH = 6, 10


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """Something that was observed; `at` is in monotonic seconds."""

    at: float
    topic: str
    words: str


class Timeline:
    """Prints facts in the order of their times, counted from the first one."""

    def __init__(self, echo: Callable[[str], None] = typer.echo) -> None:
        self._echo = echo
        self._waiting: list[Fact] = []
        self._began: float | None = None
        # The database of the demonstration runs on this machine, by the same clock.
        self._clocks_apart = time() - monotonic()

    def add(self, at: float, topic: str, words: str) -> None:
        """Note a fact; it is shown once nothing earlier can come any more."""
        self._waiting.append(Fact(at, topic, words))

    def add_at(self, at: datetime, topic: str, words: str) -> None:
        """Note a fact of the database."""
        self.add(at.timestamp() - self._clocks_apart, topic, words)

    def show(self, now: float) -> None:
        """Print what has settled by `now`."""
        settled = [fact for fact in self._waiting if fact.at <= now - SETTLED_SECONDS]
        self._waiting = [fact for fact in self._waiting if fact not in settled]
        # Sorting keeps facts of one moment as they were noted: their order there is theirs.
        for fact in sorted(settled, key=lambda each: each.at):
            self._print(fact)

    def _print(self, fact: Fact) -> None:
        if self._began is None:
            self._began = fact.at
        first, *others = fact.words.splitlines() or [""]
        seconds = f"{max(fact.at - self._began, 0.0):{TIME_WIDTH}.2f}"
        self._echo(f"{seconds}  {fact.topic:{TOPIC_WIDTH}}{first}")
        for line in others:
            self._echo(f"{'':{TIME_WIDTH}}  {'':{TOPIC_WIDTH}}{line}")
