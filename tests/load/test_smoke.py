"""The loads, small: that they work and what must hold at any size. Speed is not judged."""

import pytest

from bot.standins.model_calls import ModelCall
from tests.load.backlog import AT_ONCE
from tests.load.crowd import crowd_at_once
from tests.load.drain import drain
from tests.load.overload import overload
from tests.support.neighbours import Neighbours

pytestmark = pytest.mark.xdist_group("loads the machine")

WIDTH = 4
LONG_SWEEP_SECONDS = 60
"""What does not wait for a sweep is done long before."""


async def test_a_backlog_drains_without_waiting_for_sweeps(around: Neighbours) -> None:
    async def until_all_are_at_work(_call: ModelCall) -> None:
        await around.model.wait_for_calls(WIDTH)

    around.model.hook = until_all_are_at_work
    found = await drain(
        around,
        size=60,
        processes=1,
        width=WIDTH,
        model_seconds=0.05,
        sweep_seconds=LONG_SWEEP_SECONDS,
    )
    assert found.seconds < LONG_SWEEP_SECONDS
    assert found.peak_calls == WIDTH
    assert found.furthest_jump <= AT_ONCE + 3 * WIDTH
    assert found.answered_twice == 0


async def test_a_crowd_is_answered_once_each(around: Neighbours) -> None:
    found = await crowd_at_once(around, size=100, width=16, model_seconds=0.05, quiet=6)
    assert found.peak_calls <= 16
    assert found.answered_twice == 0


async def test_a_short_overload_ends_in_no_apology(around: Neighbours) -> None:
    found = await overload(around, size=20, width=8, overload_seconds=2, retry_after=1)
    assert found.most_for_one_chat <= 3
    assert found.apologies == 0
    assert found.answered_twice == 0
