"""A measurement with its bound, and the table of all."""

from collections.abc import Sequence
from dataclasses import dataclass

HEADINGS = ("figure", "ours", "base", "ratio", "bound", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, and beside what; without a base the value itself is bounded."""

    name: str
    ours: float
    unit: str
    base: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def value(self) -> float:
        """What the bound is for."""
        return self.ours if self.base is None else self.ours / self.base

    @property
    def holds(self) -> bool:
        """Whether the value is within its bound."""
        above = self.at_least is None or self.value >= self.at_least
        return above and (self.at_most is None or self.value <= self.at_most)

    def row(self) -> tuple[str, ...]:
        """The cells under `HEADINGS`."""
        bound = f">= {self.at_least:g}" if self.at_most is None else f"<= {self.at_most:g}"
        base, ratio = "", ""
        if self.base is not None:
            base, ratio = f"{self.base:,.4g} {self.unit}", f"{self.value:.2f}"
        ours = f"{self.ours:,.4g} {self.unit}"
        return (self.name, ours, base, ratio, bound, "ok" if self.holds else "OUT OF BOUND")


def table(figures: Sequence[Figure]) -> str:
    """All figures, aligned."""
    rows = [HEADINGS, *(figure.row() for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])
