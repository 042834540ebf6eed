"""The circuit breaker by itself: when it opens, and whom it lets through."""

import pytest

from coordination.breaker import FAILURES_TO_OPEN, Breaker
from tests.support.breaker_clock import MOST_PAUSE, Clock, breaker_by

pytestmark = pytest.mark.usefixtures("longest_pauses")


def opened(clock: Clock) -> Breaker:
    breaker = breaker_by(clock)
    for _ in range(FAILURES_TO_OPEN):
        assert breaker.lets_through()
        breaker.failed(None)
    return breaker


def test_only_failures_in_a_row_open_it() -> None:
    breaker = Breaker()
    for _ in range(3 * FAILURES_TO_OPEN):
        breaker.failed(None)
        breaker.answered()
    assert breaker.lets_through()


def test_one_probe_at_a_time() -> None:
    clock = Clock()
    breaker = opened(clock)
    with breaker.passing() as may_pass:
        assert not may_pass
    clock.now += MOST_PAUSE
    with breaker.passing() as may_pass:
        assert may_pass
        with breaker.passing() as another:
            assert not another
    with breaker.passing() as may_pass:
        assert may_pass, "the probe came to nothing without asking"


def test_failures_of_those_who_asked_before_put_no_probe_off() -> None:
    clock = Clock()
    breaker = opened(clock)
    for _ in range(50):
        breaker.failed(900)
    clock.now += 4
    assert breaker.lets_through()


def test_the_wish_of_the_server_is_honoured() -> None:
    clock = Clock()
    breaker = breaker_by(clock)
    for _ in range(FAILURES_TO_OPEN):
        breaker.failed(100)
    clock.now += 99
    assert not breaker.lets_through()
    clock.now += 1
    assert breaker.lets_through()
