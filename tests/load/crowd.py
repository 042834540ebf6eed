"""Thousands of windows that are open at once and close at about the same time."""

import time
from dataclasses import dataclass

from tests.load.gauge import first_calls, flight, percentile
from tests.load.processes import bots, peak_memory, until_answered
from tests.support.neighbours import Neighbours
from tests.support.waiting import until_found

FIRST_CHAT = 10_001
LINES = 2
COUNTED = "SELECT 1 FROM conversations HAVING sum(inbound_seq) >= :lines"
OPEN = "SELECT count(*) AS windows FROM windows WHERE closes_at > clock_timestamp()"


@dataclass(frozen=True, slots=True)
class Answered:
    """How a crowd was answered."""

    open_windows: int
    counted_seconds: float
    answered_seconds: float
    floor_seconds: float
    peak_calls: int
    mean_calls: float
    wait_median: float
    wait_longest: float
    answered_twice: int
    peak_mebibytes: float


async def crowd_at_once(
    around: Neighbours, *, size: int, width: int, model_seconds: float, quiet: float
) -> Answered:
    """Have so many people write two lines each at the same moment, and measure."""
    around.model.delay = model_seconds
    settings = {"debounce_quiet_seconds": quiet, "debounce_cap_seconds": 2 * quiet}
    async with bots(around, 1, max_concurrent_replies=width, **settings) as [bot]:
        await _once_polling(around)
        began = time.monotonic()
        for chat_id in range(FIRST_CHAT, FIRST_CHAT + size):
            for line in range(LINES):
                around.telegram.say(chat_id, f"{chat_id}: line {line}")
        await until_found(around.database_url, COUNTED, {"lines": size * LINES})
        counted = time.monotonic() - began
        windows = (await until_found(around.database_url, OPEN))[0].windows
        await until_answered(around)
        answered = time.monotonic() - began
        memory = peak_memory(bot)
    firsts = first_calls(around.model.calls)
    waits = [at - began - quiet for at in firsts.values()]
    calls = flight(around.model.calls, min(firsts.values()), max(firsts.values()))
    return Answered(
        open_windows=windows,
        counted_seconds=counted,
        answered_seconds=answered,
        floor_seconds=size / width * model_seconds + quiet,
        peak_calls=calls.peak,
        mean_calls=calls.mean,
        wait_median=percentile(waits, 50),
        wait_longest=max(waits),
        answered_twice=len(around.telegram.sent) - size,
        peak_mebibytes=memory,
    )


async def _once_polling(around: Neighbours) -> None:
    await until_found(around.database_url, "SELECT 1 FROM pollers WHERE holder IS NOT NULL")
