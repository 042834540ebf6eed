"""How long each stage of a run took."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import structlog

from coordination.metrics import STAGE

log = structlog.get_logger(__name__)


class Stages:
    """The stages of one run, in seconds."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block, however it ends."""
        began = monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + monotonic() - began

    def told(self) -> None:
        """Log and count what there was."""
        for name, seconds in self._seconds.items():
            STAGE.labels(name).observe(seconds)
        log.info(
            "run_ended",
            **{f"{name}_ms": round(1000 * seconds) for name, seconds in self._seconds.items()},
        )
