"""Counters with labels, whose series are there from the start."""

from collections.abc import Iterable
from itertools import product

from prometheus_client import Counter


def counter(name: str, about: str, **labels: Iterable[str]) -> Counter:
    """A counter at 0 for every value of its labels: an alarm cannot see what is not there yet."""
    made = Counter(name, about, list(labels))
    for values in product(*labels.values()):
        made.labels(*values)
    return made
