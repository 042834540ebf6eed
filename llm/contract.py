"""What a caller gives the model and gets back, whichever client is behind it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants called; `id` tells it from the others of the same answer only.

    `arguments` is JSON as the model wrote it, and models write broken JSON too.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture to look at."""

    mime: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the prompt.

    An assistant turn may call tools; a tool turn with its result must follow for each call, and
    says by `tool_call_id` which call it answers. Only user turns have images.
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to the model; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of streamed text: whole characters, numbered from 0 within its attempt.

    Attempts are numbered from 1 within one `write`.
    """

    attempt: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens spent, as counted by the server unless `estimated`."""

    tokens_in: int
    tokens_out: int
    estimated: bool

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.estimated or other.estimated,
        )


@dataclass(slots=True)
class Meter:
    """What one `write` took and cost, set when it ends, however it ends.

    Both times are seconds since `write` was called, and that of the first token is the one of the
    latest attempt; the usage is that of all attempts together.
    """

    usage: Usage = Usage(0, 0, estimated=False)
    first_token_seconds: float | None = None
    total_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Where the model is; `timeout_seconds` bounds a whole answer, first byte to last."""

    api_key: str = field(repr=False)
    base_url: str
    model: str
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer; both times are seconds since `write` was called.

    `text` may be blank only when the model wants tools called.
    """

    text: str
    finish_reason: str
    first_token_seconds: float
    total_seconds: float
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()


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


class NothingSaid(ForGood):
    """The model answered, but with nothing to read."""


class TooLong(ForGood):
    """The prompt has more in it than the model can read: a shorter one may do."""


class Writer(Protocol):
    """Whoever answers a prompt."""

    async def write(
        self,
        turns: Sequence[Turn],
        *,
        tools: Sequence[ToolSpec] = (),
        on_chunk: Callable[[Chunk], None] | None = None,
        temperature: float | None = None,
        meter: Meter | None = None,
    ) -> Answer:
        """Answer `turns`, or raise `TryLater` or `ForGood`; cancelling ends the request at once.

        `on_chunk` is told the text as it comes, and must neither block nor raise. `meter`, a fresh
        one for each call, says what the call took even if it fails or is cancelled.
        """
        ...


class Transcriber(Protocol):
    """Whoever writes down what was said."""

    async def transcribe(self, data: bytes, name: str) -> str:
        """The words of a recording, or raise `TryLater` or `ForGood`."""
        ...
