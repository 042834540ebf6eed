"""How long Hypothesis searches: the same cases each time, or as many new ones as one asks for."""

import os
from typing import Final, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

T = TypeVar("T")

EXAMPLES: Final = os.environ.get("SEARCH_EXAMPLES")
"""For a longer search than the suite has time for, and a different one each time."""
TIMEOUT: Final = 0 if EXAMPLES else 300


def search(examples: int) -> settings:
    """The settings of one test that has time for so many examples in the suite."""
    return settings(
        max_examples=int(EXAMPLES or examples),
        derandomize=EXAMPLES is None,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def samples(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """So many draws, for a test in which they all meet; the same each time, as above."""
    drawn: list[T] = []

    @given(strategy)
    @settings(search(count), phases=[Phase.generate])
    def draw(value: T) -> None:
        drawn.append(value)

    draw()
    return drawn
