"""What a caller gives the model and gets back, whichever client is behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the prompt."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of streamed text: whole characters, numbered from 0 within its attempt.

    Attempts are numbered from 1 within one `write`.
    """

    attempt: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Where the model is; `timeout_seconds` bounds a whole answer, first byte to last."""

    api_key: str = field(repr=False)
    base_url: str
    model: str
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer; both times are seconds since `write` was called."""

    text: str
    finish_reason: str
    first_token_seconds: float
    total_seconds: float


class ModelError(Exception):
    """No answer. `reason` is fit for a log line: never a key, never a word of the prompt."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TryLater(ModelError):
    """The same request may succeed later; `retry_after` is the server's own wish in seconds."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ForGood(ModelError):
    """The same request would fail again."""


class Writer(Protocol):
    """Whoever answers a prompt."""

    async def write(self, turns: Sequence[Turn]) -> Answer:
        """Answer `turns`, or raise `TryLater` or `ForGood`; cancelling ends the request at once."""
        ...
