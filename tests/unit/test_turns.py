"""Drafts of all chats take turns, so that together they stay below what Telegram bears."""

import asyncio
from time import monotonic

from bot.sketch import Turns
from bot.standins.news import HANG_SECONDS

PAUSE = 0.01


async def test_turns_come_in_order_and_not_faster_than_allowed() -> None:
    turns, order = Turns(a_second=1 / PAUSE), []

    async def take(number: int) -> None:
        await turns.wait()
        order.append((number, monotonic()))

    await asyncio.gather(*map(take, range(10)))
    assert [number for number, _ in order] == list(range(10))
    assert order[-1][1] - order[0][1] >= 9 * PAUSE


async def test_who_gave_up_takes_no_turn() -> None:
    turns = Turns(a_second=1 / PAUSE)
    await turns.wait()
    gave_up = [asyncio.create_task(turns.wait()) for _ in range(10_000)]
    last = asyncio.create_task(turns.wait())
    await asyncio.sleep(0)
    for each in gave_up:
        each.cancel()
    async with asyncio.timeout(HANG_SECONDS):  # ten thousand turns would take longer
        await last
