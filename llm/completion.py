"""What the events of a chat completion add up to."""

from dataclasses import dataclass, field
from typing import Any

from llm.contract import ForGood, TryLater

# What servers say instead of an error when they gave up half-way: OpenRouter and Mistral,
# vLLM and SGLang, DeepSeek.
_GAVE_UP = frozenset({"error", "abort", "insufficient_system_resource"})


@dataclass(slots=True)
class Completion:
    """A chat completion as far as it has come."""

    pieces: list[str] = field(default_factory=list)
    finish_reason: str = ""
    refused: bool = False
    first_piece_at: float | None = None

    def add(self, event: Any, now: float) -> None:
        """Add a streamed chunk, or a whole completion, that arrived at `now`.

        Raises whatever Python raises on JSON of another shape.
        """
        choices = event.get("choices")
        if not choices:  # usage, filter results, keep-alives
            return
        choice = choices[0]
        message = choice.get("delta") or choice.get("message") or {}
        if content := message.get("content"):
            if not isinstance(content, str):
                raise TypeError("content is not text")
            self.pieces.append(content)
            self.first_piece_at = self.first_piece_at or now
        self.refused = self.refused or bool(message.get("refusal"))
        self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)

    def finished_text(self) -> str:
        """Return the text, perhaps blank, or raise what the way it ended means."""
        if self.refused or self.finish_reason == "content_filter":
            raise ForGood("content refused")
        if not self.finish_reason:
            # A stream that a proxy cut, and a web page with status 200, end without an error.
            raise TryLater("answer cut off" if self.pieces else "no chat completion in the answer")
        if self.finish_reason in _GAVE_UP:
            raise TryLater("server gave up the answer")
        # Some servers cut between the two halves of an emoji, and JSON lets half a one through.
        return (
            "".join(self.pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        )
