"""Waiting: for a database that is away, and between attempts."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from storage.database import Unavailable

T = TypeVar("T")
log = structlog.get_logger(__name__)

SHORTEST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 1.0


async def until_available(verb: Callable[[], Awaitable[T]]) -> T:
    """Repeat a verb of storage until the database can do it. Verbs may be repeated by design."""
    pause = SHORTEST_PAUSE_SECONDS
    while True:
        try:
            return await verb()
        except Unavailable as error:
            log.warning("database_unavailable", error=str(error), retry_in=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def backoff(failures: int, *, base: float = 1.0, cap: float = 60.0) -> float:
    """Seconds to wait after that many failures in a row (at least one): exponential, full jitter.

    Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    # The exponent is bounded because a float is.
    return random.uniform(0, min(cap, base * 2.0 ** min(failures, 32)))  # noqa: S311
