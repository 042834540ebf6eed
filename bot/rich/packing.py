"""Neighbours share a message as long as they fit."""

from collections.abc import Iterator, Sequence

from bot.rich.limits import Size, limit_of, size_of
from storage.records import Format


def packed(sources: Sequence[str], how: Format) -> Iterator[str]:
    """Join neighbours as long as they fit; two groups at least."""
    groups: list[list[str]] = []
    limit, taken = limit_of(how), Size()
    for source in sources:
        size = size_of(source.strip("\n"), how)
        together = taken.with_next(size)
        if groups and together.is_within(limit):
            groups[-1].append(source)
            taken = together
        else:
            groups.append([source])
            taken = size
    if len(groups) == 1:
        # Each by itself takes less than within the whole.
        half = len(sources) // 2
        groups = [list(sources[:half]), list(sources[half:])]
    return ("".join(group) for group in groups)
