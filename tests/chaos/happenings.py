"""All that can happen in a run, each at its second."""

from dataclasses import dataclass
from typing import Literal

DatabaseTroubleKind = Literal[
    "restart fast", "restart immediate", "hang up on one", "read only", "connection limit", "away"
]


@dataclass(frozen=True, slots=True)
class Say:
    """Somebody writes; `number` marks the message in all that comes of it."""

    at: float
    chat_id: int
    thread_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Block:
    """Somebody blocks the bot, until they write again."""

    at: float
    chat_id: int


@dataclass(frozen=True, slots=True)
class SayNonsense:
    """An update comes that nobody can read; it is to be put aside."""

    at: float
    number: int


@dataclass(frozen=True, slots=True)
class Birth:
    """How a process starts: when, with which clock, and at which step it kills itself, if any."""

    pause: float = 0.1
    clock_shift: float = 0.0
    clock_jumps_after: float = 0.0
    die: str | None = None
    passes: int = 0


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL for whichever process the slot holds."""

    at: float
    slot: int
    successor: Birth


@dataclass(frozen=True, slots=True)
class Terminate:
    """SIGTERM, likewise."""

    at: float
    slot: int
    successor: Birth


@dataclass(frozen=True, slots=True)
class Freeze:
    """SIGSTOP, and SIGCONT after so many seconds."""

    at: float
    slot: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Switch:
    """A neighbour's switch goes on for a while."""

    at: float
    seconds: float
    name: str
    argument: float | None
    rate: float
    methods: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class DatabaseTrouble:
    """The database fails for a while; `pick` chooses among connections."""

    at: float
    seconds: float
    kind: DatabaseTroubleKind
    pick: float = 0.0


Happening = Say | Block | SayNonsense | Kill | Terminate | Freeze | Switch | DatabaseTrouble
