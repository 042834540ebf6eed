"""What the events of a chat completion add up to."""

from collections.abc import Callable
from typing import Any

from llm.contract import Chunk, ForGood, ToolCall, TryLater, Usage
from llm.stream import Cutter
from llm.tool_calls import ToolCallGatherer

# What servers say instead of an error when they gave up half-way: OpenRouter and Mistral,
# vLLM and SGLang, DeepSeek.
_GAVE_UP = frozenset({"error", "abort", "insufficient_system_resource"})
_MOST_TOKENS = 2**31 - 1


class Completion:
    """A chat completion as far as it has come."""

    def __init__(self, attempt: int, tell: Callable[[Chunk], None]) -> None:
        self._cutter = Cutter(attempt)
        self._tell = tell
        self._calls = ToolCallGatherer()
        self._refused = False
        self.pieces = 0
        """How many events brought something of the answer."""
        self.finish_reason = ""
        self.first_piece_at: float | None = None
        self.usage: Usage | None = None
        """What the server counted, if it told."""

    def add(self, event: Any, now: float) -> None:
        """Add a streamed chunk, or a whole completion, that arrived at `now`.

        Raises whatever Python raises on JSON of another shape.
        """
        self.usage = _read_usage(event.get("usage")) or self.usage
        choices = event.get("choices")
        if not choices:  # usage alone, filter results, keep-alives
            return
        choice = choices[0]
        message = choice.get("delta") or choice.get("message") or {}
        content, calls = message.get("content"), message.get("tool_calls")
        if content or calls:
            self.pieces += 1
            self.first_piece_at = self.first_piece_at or now
        if content:
            self._add_text(content)
        if calls:
            self._calls.add(calls)
        self._refused = self._refused or bool(message.get("refusal"))
        self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)

    def finish(self) -> tuple[ToolCall, ...]:
        """Tell the last of the text and return the tool calls, or raise what the end means."""
        if self._refused or self.finish_reason == "content_filter":
            raise ForGood("content refused")
        if not self.finish_reason:
            # A stream that a proxy cut, and a web page with status 200, end without an error.
            raise TryLater("answer cut off" if self.pieces else "no chat completion in the answer")
        if self.finish_reason in _GAVE_UP:
            raise TryLater("server gave up the answer")
        if rest := self._cutter.rest():
            self._tell(rest)
        return self._calls.finished()

    def _add_text(self, content: Any) -> None:
        # Mistral sends parts where it also sends what the model thought.
        texts = (
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        )
        if chunk := self._cutter.cut("".join(texts)):
            self._tell(chunk)


def _read_usage(usage: Any) -> Usage | None:
    """Return the counts, unless they are none; some servers send zeros until the last event."""
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens", 0)
    if _is_count(tokens_in) and _is_count(tokens_out) and tokens_in:
        return Usage(tokens_in, tokens_out, estimated=False)
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
