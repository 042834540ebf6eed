"""A clock that a test moves, and a breaker that goes by it."""

from coordination.breaker import Breaker
from coordination.patience import RetryPolicy

MOST_PAUSE = 15.0


class Clock:
    """Seconds, from no time in particular."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def breaker_by(clock: Clock) -> Breaker:
    """Between two probes it pauses no longer than that."""
    return Breaker(RetryPolicy(cap=MOST_PAUSE), clock)
