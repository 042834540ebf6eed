"""The circuit breaker before the model: an outage costs one probe at a time.

Closed, everybody asks. After so many failures in a row of whoever asked, it opens: nobody takes a
lease to generate, so no conversation spends its attempts, and its burst stays due in the table.
When the time has come, one run goes through as a probe. It closes on the first answer.

Source: M. Nygard, "Release It!", 2007, chapter 5.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import structlog

from coordination.metrics import BREAKER_OPEN
from coordination.patience import PROBING, RetryPolicy

log = structlog.get_logger(__name__)

FAILURES_TO_OPEN = 5
LATELY_SECONDS = 30.0
"""An older answer may be from before an outage of which another process has told people."""
LONG_AGO = float("-inf")


class Breaker:
    """What this process knows of the model's health."""

    def __init__(
        self, policy: RetryPolicy = PROBING, clock: Callable[[], float] = monotonic
    ) -> None:
        self._policy = policy
        self._clock = clock
        self._failures = 0
        self._opened_at = 0.0
        self._probe_at = 0.0
        self._is_probing = False
        self._answered_at = LONG_AGO

    @property
    def is_open(self) -> bool:
        """True from the failures that opened it to the next answer."""
        return self._failures >= FAILURES_TO_OPEN

    @property
    def open_for(self) -> float | None:
        """Seconds since the model is away; None: it is not."""
        return self._clock() - self._opened_at if self.is_open else None

    @property
    def is_known_to_be_back(self) -> bool:
        """True for a while after an answer, or until it opens; a process begins without knowing."""
        return not self.is_open and self._clock() - self._answered_at < LATELY_SECONDS

    def lets_through(self) -> bool:
        """Whether a run that asked now would be let through."""
        return not self.is_open or (not self._is_probing and self._clock() >= self._probe_at)

    @contextmanager
    def passing(self) -> Iterator[bool]:
        """Whether the run in the block may ask the model; if it is the probe, until it ends."""
        may_pass, is_probe = self.lets_through(), self.is_open
        if not (may_pass and is_probe):
            yield may_pass
            return
        self._is_probing = True
        try:
            yield True
        finally:
            self._is_probing = False

    def answered(self) -> None:
        """Note that the model answered, be it with a refusal."""
        if self.is_open:
            log.info("model_back")
        self._failures = 0
        self._answered_at = self._clock()
        BREAKER_OPEN.set(0)

    def failed(self, wish: float | None) -> None:
        """Note a failure that may pass; `wish` is the server's own, in seconds."""
        if self.is_open and self._clock() < self._probe_at:
            return  # it was asked before the breaker opened, and says nothing new
        was_open = self.is_open
        self._failures += 1
        if not self.is_open:
            return
        if not was_open:
            self._opened_at = self._clock()
        self._answered_at = LONG_AGO
        BREAKER_OPEN.set(1)
        beyond = self._failures - FAILURES_TO_OPEN + 1
        self._probe_at = self._clock() + self._policy.delay(beyond, wish)
        log.warning("model_away", probe_in=round(self._probe_at - self._clock(), 1))
