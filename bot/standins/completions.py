"""How OpenAI's chat completions look on the wire, plain and streamed."""

import time
from dataclasses import dataclass
from itertools import count
from typing import Any

from bot.standins.answers import content_text
from bot.standins.wire import encode

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, told apart from others by its id."""

    completion_id: str
    created: int
    model: str
    prompt_tokens: int
    text: str

    @classmethod
    def answering(cls, messages: list[dict[str, Any]], model: str, text: str) -> "Completion":
        """Number a new answer. A word counts as a token."""
        asked = sum(len(content_text(message.get("content")).split()) for message in messages)
        return cls(f"chatcmpl-standin{next(_numbers)}", int(time.time()), model, asked, text)

    def plain(self) -> dict[str, Any]:
        """The whole answer in one object."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage()}

    def opening_event(self) -> bytes:
        """The event that names the role."""
        return self._choice_event({"role": "assistant", "content": "", "refusal": None}, None)

    def word_event(self, word: str) -> bytes:
        """An event with a piece of the text."""
        return self._choice_event({"content": word}, None)

    def closing_events(self, *, with_usage: bool) -> bytes:
        """The events that end a stream."""
        ending = self._choice_event({}, "stop")
        if with_usage:
            usage = {"choices": [], "usage": self._usage()}
            ending += event(encode({**self._head("chat.completion.chunk"), **usage}))
        return ending + event(b"[DONE]")

    def _choice_event(self, delta: dict[str, Any], finish_reason: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return event(encode({**self._head("chat.completion.chunk"), "choices": [choice]}))

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": self.completion_id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "service_tier": "default",
            "system_fingerprint": "fp_standin",
        }

    def _usage(self) -> dict[str, int]:
        answered = len(self.text.split())
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": answered,
            "total_tokens": self.prompt_tokens + answered,
        }


def event(data: bytes) -> bytes:
    """Frame one server-sent event."""
    return b"data: %b\n\n" % data


def error_object(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """An error as OpenAI words it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
