"""Waiting: for a database that is away, and between attempts."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import TypeVar

import structlog

from coordination.metrics import RETRIES
from storage.database import Unavailable

T = TypeVar("T")
log = structlog.get_logger(__name__)

SHORTEST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 1.0

LONGEST_WISH_SECONDS = 900.0
"""A server may ask for a day of silence; the people in the chat would not wait that long."""


async def until_available(verb: Callable[[], Awaitable[T]], patience: float = inf) -> T:
    """Repeat a verb of storage until the database can do it. Verbs may be repeated by design.

    Raises:
        Unavailable: it could not for so many seconds.
    """
    pause = SHORTEST_PAUSE_SECONDS
    give_up_at = monotonic() + patience
    while True:
        try:
            return await verb()
        except Unavailable as error:
            if monotonic() + pause > give_up_at:
                raise
            RETRIES.labels("database").inc()
            log.warning("database_unavailable", error=str(error), retry_in=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


async def to_its_end(work: Coroutine[object, object, T]) -> T:
    """Do the work even when the task is cancelled meanwhile; only then let it be."""
    working = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When something that failed is tried again. The due time is kept in the database.

    Exponential with full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
    To lose a race, or to find something in use, is no failure and is not counted.
    """

    base: float = 1.0
    """Seconds; the first wait is up to twice as long."""
    cap: float = 60.0
    """Seconds."""
    attempts: int | None = None
    """None: for ever, since giving up would lose something."""

    def is_exhausted(self, failures: int) -> bool:
        """Whether there is no further attempt after that many failures in a row."""
        return self.attempts is not None and failures >= self.attempts

    def delay(self, failures: int, wish: float | None = None) -> float:
        """Seconds to wait after that many failures in a row (at least one).

        `wish` is what the server asked for; it is honoured, up to a quarter of an hour.
        """
        # The exponent is bounded because a float is.
        jittered = random.uniform(0, min(self.cap, self.base * 2.0 ** min(failures, 32)))  # noqa: S311
        return max(jittered, min(wish or 0.0, LONGEST_WISH_SECONDS))


DELIVERING = RetryPolicy()
UNDOING = RetryPolicy(base=2.0, cap=300.0, attempts=8)
OWN_FAULTS = RetryPolicy(base=15.0)
PROBING = RetryPolicy(cap=15.0)
