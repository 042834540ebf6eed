"""Something happens between two steps of the program."""

from collections.abc import Awaitable, Callable

from storage.database import Unavailable
from storage.steps import FaultPoint


def once_at(where: str, act: Callable[[], Awaitable[None]]) -> FaultPoint:
    """Act when that point is passed for the first time."""
    left = [act]

    async def at(here: str) -> None:
        if left and here == where:
            await left.pop()()

    return at


def always_at(where: str, act: Callable[[], Awaitable[None]]) -> FaultPoint:
    """Act whenever that point is passed."""

    async def at(here: str) -> None:
        if here == where:
            await act()

    return at


async def away() -> None:
    """The database is not there."""
    raise Unavailable("restarting")


async def stumble() -> None:
    """A fault of our own."""
    raise ZeroDivisionError
