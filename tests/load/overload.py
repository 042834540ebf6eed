"""A model that says 429 to everybody for a while, before a backlog."""

import time
from collections import Counter
from dataclasses import dataclass

from bot.standins.faults import ModelFault, RefuseCompletion
from bot.standins.model_calls import ModelCall
from tests.load.backlog import leave_backlog
from tests.load.processes import bots, until_answered
from tests.support.neighbours import Neighbours
from tests.support.said import APOLOGY


@dataclass(frozen=True, slots=True)
class Overloaded:
    """What an overload came to."""

    calls_meanwhile: int
    calls_in_the_worst_second: int
    most_for_one_chat: int
    apologies: int
    seconds_after_it: float
    answered_twice: int


async def overload(
    around: Neighbours, *, size: int, width: int, overload_seconds: float, retry_after: float
) -> Overloaded:
    """Have a backlog meet an overloaded model, and measure what the model had to bear."""
    refused: list[tuple[float, int]] = []
    until: list[float] = []

    async def hook(call: ModelCall) -> ModelFault | None:
        until.append(time.monotonic() + overload_seconds)
        if time.monotonic() > until[0]:
            return None
        chat = int(str(call.messages[-1]["content"]).partition(":")[0])
        refused.append((time.monotonic(), chat))
        return RefuseCompletion(429, "rate_limit_exceeded", "slow down", retry_after=retry_after)

    around.model.hook = hook
    around.model.delay = 0.2
    await leave_backlog(around, size)
    async with bots(around, 1, max_concurrent_replies=width, sweep_seconds=1):
        await around.model.wait_for_calls(1, timeout=60)
        await until_answered(around)
        ended = time.monotonic()
    seconds = Counter(int(at - refused[0][0]) for at, _ in refused)
    return Overloaded(
        calls_meanwhile=len(refused),
        calls_in_the_worst_second=max(seconds.values()),
        most_for_one_chat=max(Counter(chat for _, chat in refused).values()),
        apologies=sum(sent.text == APOLOGY for sent in around.telegram.sent),
        seconds_after_it=ended - until[0],
        answered_twice=len(around.telegram.sent) - size,
    )
