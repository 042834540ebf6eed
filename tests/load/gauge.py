"""What the model stand-in saw: how many calls at a time, and in which order they came."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from bot.standins.model_calls import ModelCall

PERCENTILES = 100


@dataclass(frozen=True, slots=True)
class Flight:
    """Model calls in the air over the time of a test."""

    peak: int
    mean: float


def chat_of(call: ModelCall) -> int:
    """The chat that the model was asked about: each line begins with it."""
    return int(str(call.messages[-1]["content"]).partition(":")[0])


def flight(calls: Sequence[ModelCall], begin: float, end: float) -> Flight:
    """How many calls were under way between two moments, at most and on average."""
    changes = sorted(
        change
        for call in calls
        for change in ((call.started, 1), (min(call.ended or end, end), -1))
    )
    now, peak, area, since = 0, 0, 0.0, begin
    for moment, change in changes:
        at = min(max(moment, begin), end)
        area += now * (at - since)
        now, since = now + change, at
        peak = max(peak, now)
    return Flight(peak, area / (end - begin))


def first_calls(calls: Sequence[ModelCall]) -> dict[int, float]:
    """When the model was first asked for each chat, in the order in which that happened."""
    found: dict[int, float] = {}
    for call in calls:
        found.setdefault(chat_of(call), call.started)
    return found


def furthest_jump(order: Sequence[int], due_order: Sequence[int]) -> int:
    """By how many places a chat came later than the order of their due times has it."""
    places = {chat: place for place, chat in enumerate(due_order)}
    return max(now - places[chat] for now, chat in enumerate(order))


def percentile(values: Sequence[float], which: int) -> float:
    """The value below which so many per cent lie."""
    return quantiles(values, n=PERCENTILES, method="inclusive")[which - 1]
