"""A wake-up that is set while the one before it fires."""

import asyncio

from bot.schedule import Schedule
from bot.standins.news import HANG_SECONDS
from storage.records import ConversationKey

ADA = ConversationKey(501, 0)


async def test_g6_a_wake_up_set_while_one_fires_is_not_dropped() -> None:
    jobs, woken = Schedule(), 0
    again = asyncio.Event()

    def wake(key: ConversationKey) -> None:
        nonlocal woken
        woken += 1
        if woken == 1:
            jobs.set(key, 1e-6)  # due before the job that is running counts as finished
        else:
            again.set()

    jobs.start(wake)
    jobs.set(ADA, 0.01)
    await asyncio.wait_for(again.wait(), HANG_SECONDS)
    jobs.stop()
