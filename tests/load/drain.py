"""After an outage: a backlog drains oldest first, at full width, while new people write."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass

from tests.load.backlog import leave_backlog
from tests.load.gauge import first_calls, flight, furthest_jump, percentile
from tests.load.processes import bots, peak_memory, until_answered
from tests.support.neighbours import Neighbours
from tests.support.waiting import rows_of, until_found

NEWCOMERS_FROM = 900_001
QUIET_SECONDS = 0.3
EVERY_SECONDS = 0.25
MEAN_RUNS = """
SELECT CAST(SUM(EXTRACT(EPOCH FROM ended_at - started_at))
    / EXTRACT(EPOCH FROM MAX(started_at) - MIN(started_at)) AS float) AS mean
FROM runs WHERE chat_id < 900001
"""
ALL_HEARD = "SELECT 1 FROM conversations WHERE chat_id >= 900001 HAVING count(*) = :chats"


@dataclass(frozen=True, slots=True)
class Drained:
    """How a backlog went away."""

    seconds: float
    floor_seconds: float
    peak_calls: int
    mean_calls: float
    mean_runs: float
    furthest_jump: int
    newcomers: int
    newcomer_median: float
    newcomer_longest: float
    answered_twice: int
    peak_mebibytes: float


async def drain(
    around: Neighbours,
    *,
    size: int,
    processes: int,
    width: int,
    model_seconds: float,
    sweep_seconds: float = 1,
) -> Drained:
    """Leave a backlog, start the processes, have newcomers write, and measure."""
    around.model.delay = model_seconds
    chats = await leave_backlog(around, size)
    came: dict[int, float] = {}
    settings = {"max_concurrent_replies": width, "sweep_seconds": sweep_seconds}
    async with bots(around, processes, **settings) as started:
        await around.model.wait_for_calls(1, timeout=60)
        arriving = asyncio.create_task(_newcomers(around, came))
        await until_answered_of(around, size)
        arriving.cancel()
        with suppress(asyncio.CancelledError):
            await arriving
        await until_found(around.database_url, ALL_HEARD, {"chats": len(came)})
        await until_answered(around)
        memory = max(peak_memory(bot) for bot in started)
    firsts = first_calls(around.model.calls)
    old = [chat for chat in firsts if chat < NEWCOMERS_FROM]
    begin = around.model.calls[0].started
    end = max(
        call.started for call in around.model.calls if call.started <= max(firsts[c] for c in old)
    )
    waits = [firsts[chat] - at - QUIET_SECONDS for chat, at in came.items()]
    calls = flight(around.model.calls, begin, end)
    return Drained(
        seconds=end - begin + model_seconds,
        floor_seconds=size / (width * processes) * model_seconds,
        peak_calls=calls.peak,
        mean_calls=calls.mean,
        mean_runs=(await rows_of(around.database_url, MEAN_RUNS))[0].mean,
        furthest_jump=furthest_jump(old, chats),
        newcomers=len(waits),
        newcomer_median=percentile(waits, 50),
        newcomer_longest=max(waits),
        answered_twice=len(around.telegram.sent) - size - len(waits),
        peak_mebibytes=memory,
    )


async def _newcomers(around: Neighbours, came: dict[int, float]) -> None:
    while True:
        chat_id = NEWCOMERS_FROM + len(came)
        around.telegram.say(chat_id, f"{chat_id}: me too")
        came[chat_id] = time.monotonic()
        await asyncio.sleep(EVERY_SECONDS)


async def until_answered_of(around: Neighbours, size: int) -> None:
    """Return once the model was asked about the whole backlog."""
    while sum(chat < NEWCOMERS_FROM for chat in first_calls(around.model.calls)) < size:
        await asyncio.sleep(0.2)
