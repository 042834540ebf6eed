"""Updates come twice, out of order, a day late and under odd ids: each message counts once."""

import asyncio

import pytest

from bot.standins.news import HANG_SECONDS
from tests.support.neighbours import Neighbours
from tests.support.two_people import (
    BURST,
    LATER,
    assert_answered_once,
    bot_for_both,
    write,
)
from tests.support.waiting import until_settled


async def until_all_is_handed_out(around: Neighbours) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        while around.telegram.pending:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("fault", "argument", "count"),
    [
        ("repeat-update", 0.7, None),
        ("repeat-message", 0.7, None),
        ("out-of-order", None, None),
        ("day-late", None, None),
        ("ids-restart", None, 1),
    ],
)
async def test_g1_updates_come_oddly(
    around: Neighbours, fault: str, argument: float | None, count: int | None
) -> None:
    switches = around.telegram.switches
    async with bot_for_both(around):
        await around.telegram.wait_for_calls("getUpdates")
        for number, burst in enumerate((BURST, LATER), 1):
            switches.on(fault, argument, count=count)
            write(around, burst)
            await around.model.wait_for_calls(2 * number)
            await until_settled(around.database_url)
            switches.off(fault)
            await until_all_is_handed_out(around)
        await until_settled(around.database_url)
    assert switches.struck[fault] >= 2
    assert_answered_once(around, BURST, LATER)
    asked = [call.messages[-1]["content"] for call in around.model.calls]
    assert asked == ["\n".join(BURST)] * 2 + ["\n".join(LATER)] * 2
    assert around.telegram.call_counts["getUpdates"] < 30
