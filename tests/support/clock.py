"""A process whose wall clock is wrong. What is measured, the monotonic clock, stays right."""

import datetime as dt
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from typing import Any


def shift_clock(seconds: float, after: float = 0.0) -> None:
    """Let this process, with all it has imported, read a clock that is so many seconds ahead.

    The clock jumps `after` so many seconds, and may jump back. It can be done once.
    """
    jumps_at = time.monotonic() + after
    real_time = time.time

    def shift() -> float:
        return seconds if time.monotonic() >= jumps_at else 0.0

    def wrong_time() -> float:
        return real_time() + shift()

    _replace_everywhere(time.time, wrong_time)
    _replace_everywhere(datetime, wrong_datetime(shift))


def wrong_datetime(shift: Callable[[], float]) -> type[datetime]:
    """A `datetime` whose `now` is so many seconds ahead."""

    class AnyDatetime(type):
        """Instances of the true class pass for instances of the wrong one."""

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, datetime)

    class WrongDatetime(datetime, metaclass=AnyDatetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + timedelta(seconds=shift())

    return WrongDatetime


def _replace_everywhere(known: object, wrong: object) -> None:
    for module in [dt, time, *sys.modules.values()]:
        for name, value in list(vars(module).items()):
            if value is known and module.__name__ != __name__:
                setattr(module, name, wrong)
