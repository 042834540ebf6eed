"""What the stand-in model was asked, and how each call ended."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bot.standins.model_requests import CompletionRequest
from bot.standins.tool_choice import ToolUse

Outcome: TypeAlias = Literal["running", "answered", "cancelled", "failed"]


@dataclass(slots=True)
class ModelCall:
    """One call; times are in monotonic seconds, `text` is what was sent so far.

    `tools` are those offered, as they came; `tool_uses` what the answer wants called.
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    model: str
    streamed: bool
    started: float
    ended: float | None = None
    outcome: Outcome = "running"
    text: str = ""
    tool_uses: list[ToolUse] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def offered(self) -> list[str]:
        """The names of the offered tools."""
        return [tool["function"]["name"] for tool in self.tools]

    @property
    def tool_turns(self) -> list[dict[str, Any]]:
        """The messages with results of tools."""
        return [message for message in self.messages if message["role"] == "tool"]


class CallLog:
    """All calls in order of arrival; counts go on when the calls themselves are not kept."""

    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        self._grown = asyncio.Event()
        self.calls: list[ModelCall] = []
        self.begun = 0
        self.counts: dict[str, int] = {"answered": 0, "cancelled": 0, "failed": 0}

    def begin(self, asked: CompletionRequest) -> ModelCall:
        """Record that a call arrived."""
        call = ModelCall(asked.messages, asked.tools, asked.model, asked.stream, time.monotonic())
        if self._keep:
            self.calls.append(call)
        self.begun += 1
        self._grown.set()
        self._grown = asyncio.Event()
        return call

    def end(self, call: ModelCall, outcome: Outcome) -> None:
        """Record how a call ended; only the first end counts."""
        if call.outcome == "running":
            call.outcome = outcome
            call.ended = time.monotonic()
            self.counts[outcome] += 1
            call.done.set()

    async def wait_for(self, count: int, seconds: float) -> None:
        """Return as soon as that many calls arrived."""
        try:
            async with asyncio.timeout(seconds):
                while self.begun < count:
                    await self._grown.wait()
        except TimeoutError:
            raise TimeoutError(f"{self.begun} of {count} model calls in {seconds} s") from None
