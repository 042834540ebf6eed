"""What a schedule chooses from."""

from dataclasses import dataclass

from bot.standins.replies import NEW_MESSAGES
from tests.chaos.happenings import DatabaseTroubleKind
from tests.faults.steps import SCENES, points

STEPS = [
    point for point in points(SCENES) if "free_leases_of" not in point and "tell_once" not in point
]
"""Where a process may kill itself; those left out are hardly ever passed."""

DATABASE: tuple[DatabaseTroubleKind, ...] = (
    "restart fast",
    "restart immediate",
    "hang up on one",
    "hang up on one",
    "hang up on one",
    "read only",
    "connection limit",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A switch, how bad it is when it strikes, and how often at most."""

    name: str
    highest_rate: float
    argument: float | None = None
    methods: tuple[str, ...] | None = None


TALKING = ("getUpdates", *sorted(NEW_MESSAGES), "sendChatAction")

SWITCHES = (
    Choice("telegram:slow", 0.5, 1.0),
    Choice("telegram:slow", 0.3, 4.0, tuple(sorted(NEW_MESSAGES))),
    Choice("telegram:429", 0.5, 1.0),
    Choice("telegram:500", 0.5),
    Choice("telegram:502", 0.5),
    Choice("telegram:401", 0.3, None, TALKING),
    Choice("telegram:409", 0.5),
    Choice("telegram:drop-before", 0.4),
    Choice("telegram:drop-after", 0.4),
    Choice("telegram:garbled-before", 0.3),
    Choice("telegram:garbled-after", 0.3),
    Choice("telegram:repeat-update", 0.5, 0.5),
    Choice("telegram:repeat-message", 0.5, 2.0),
    Choice("telegram:out-of-order", 0.7),
    Choice("telegram:day-late", 0.5),
    Choice("telegram:ids-restart", 0.2),
    Choice("model:late", 0.4, 2.0),
    Choice("model:429", 0.5, 1.0),
    Choice("model:500", 0.5),
    Choice("model:hang", 0.3),
    Choice("model:cut", 0.4, 2.0),
    Choice("model:drop", 0.4, 2.0),
    Choice("model:malformed", 0.3, 2.0),
    Choice("model:empty", 0.3),
    Choice("model:too-long", 0.2),
    Choice("model:no-quota", 0.2),
)
