"""What a test may make a stand-in do wrong, one call at a time.

A hook is awaited before a call is carried out. It returns a fault, or None for a normal call;
a hook that waits for an `asyncio.Event` holds the call at a gate.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """One Bot API call as it arrived; `at` is in monotonic seconds."""

    method: str
    params: Mapping[str, str]
    at: float


@dataclass(frozen=True, slots=True)
class Stall:
    """Wait, then go on as if nothing had happened."""

    seconds: float


@dataclass(frozen=True, slots=True)
class DropBefore:
    """Close the connection without doing what was asked."""


@dataclass(frozen=True, slots=True)
class DropAfter:
    """Do what was asked, then close the connection without an answer."""


@dataclass(frozen=True, slots=True)
class GarbleBefore:
    """Answer a Bot API call with broken JSON without doing what was asked."""


@dataclass(frozen=True, slots=True)
class GarbleAfter:
    """Do what a Bot API call asked, then answer with half of the JSON."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer a Bot API call with an error; `raw_body` replaces the JSON a real server sends."""

    status: int
    description: str
    retry_after: int | None = None
    raw_body: bytes | None = None
    content_type: str = "application/json"


Failure: TypeAlias = Refuse | DropBefore | DropAfter | GarbleBefore | GarbleAfter
Fault: TypeAlias = Failure | Stall
Hook: TypeAlias = Callable[[Call], Awaitable[Fault | None]]


@dataclass(frozen=True, slots=True)
class RefuseCompletion:
    """Answer a model call with an error as OpenAI words it."""

    status: int
    code: str | None
    message: str
    retry_after: float | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class RawBody:
    """Answer a model call with these bytes."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class CutStream:
    """Break a streamed answer off after some words.

    `clean` ends the response as if it were complete, `drop` closes the connection, `malformed`
    sends an event that is no JSON, `error` an error event.
    """

    after_words: int
    ending: Literal["clean", "drop", "malformed", "error"] = "drop"


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answer a model call; it ends when the client gives up."""


@dataclass(frozen=True, slots=True)
class Say:
    """Answer a model call with this text, whatever was asked."""

    text: str


ModelFailure: TypeAlias = RefuseCompletion | RawBody | CutStream | DropBefore | Hang | Say
ModelFault: TypeAlias = ModelFailure | Stall
