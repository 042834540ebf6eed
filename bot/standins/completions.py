"""How OpenAI's chat completions look on the wire, plain and streamed."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from bot.standins.answers import content_text, split_words
from bot.standins.tool_choice import ToolUse
from bot.standins.wire import encode

_PIECE_LENGTH = 8
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Piece:
    """An event of a stream, and the words it brings."""

    data: bytes
    word: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, told apart from others by its id; `tool_calls` are as they go over the wire."""

    completion_id: str
    created: int
    model: str
    prompt_tokens: int
    text: str
    tool_calls: list[dict[str, Any]]

    @classmethod
    def answering(
        cls, messages: list[dict[str, Any]], model: str, text: str, uses: Sequence[ToolUse] = ()
    ) -> "Completion":
        """Number a new answer. A word counts as a token."""
        asked = sum(len(content_text(message.get("content")).split()) for message in messages)
        completion_id = f"chatcmpl-standin{next(_numbers)}"
        calls = [_tool_call(use) for use in uses]
        return cls(completion_id, int(time.time()), model, asked, text, calls)

    def with_broken_arguments(self) -> "Completion":
        """The same, but the JSON of each tool call's arguments is cut short."""
        return replace(self, tool_calls=[_broken(call) for call in self.tool_calls])

    @property
    def spoken(self) -> str:
        """All that the model wrote: the text, and the arguments of its tool calls."""
        return " ".join([self.text, *(call["function"]["arguments"] for call in self.tool_calls)])

    def plain(self) -> dict[str, Any]:
        """The whole answer in one object."""
        message = self._message(self.text)
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        choice = _choice("message", message, self._finish_reason())
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage()}

    def opening_event(self) -> bytes:
        """The event that names the role."""
        return self._delta_event(self._message(""))

    def pieces(self) -> Iterator[Piece]:
        """What a stream brings between its opening and its end."""
        for word in split_words(self.text):
            yield Piece(self._delta_event({"content": word}), word)
        for index, call in enumerate(self.tool_calls):
            for delta in _call_deltas(call):
                yield Piece(self._delta_event({"tool_calls": [{"index": index, **delta}]}))

    def closing_events(self, *, with_usage: bool) -> bytes:
        """The events that end a stream."""
        ending = self._delta_event({}, self._finish_reason())
        if with_usage:
            usage = {"choices": [], "usage": self._usage()}
            ending += event(encode({**self._head("chat.completion.chunk"), **usage}))
        return ending + event(b"[DONE]")

    def _message(self, content: str) -> dict[str, Any]:
        nothing = None if self.tool_calls else ""
        return {"role": "assistant", "content": content or nothing, "refusal": None}

    def _finish_reason(self) -> str:
        return "tool_calls" if self.tool_calls else "stop"

    def _delta_event(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = _choice("delta", delta, finish_reason)
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
        answered = len(self.spoken.split())
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


def _choice(kind: str, said: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, kind: said, "logprobs": None, "finish_reason": finish_reason}


def _tool_call(use: ToolUse) -> dict[str, Any]:
    function = {
        "name": use["name"],
        "arguments": json.dumps(use["arguments"], ensure_ascii=False),
    }
    return {"id": f"call_standin{next(_numbers)}", "type": "function", "function": function}


def _call_deltas(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    yield {**call, "function": {"name": name, "arguments": ""}}
    for start in range(0, len(arguments), _PIECE_LENGTH):
        yield {"function": {"arguments": arguments[start : start + _PIECE_LENGTH]}}


def _broken(call: dict[str, Any]) -> dict[str, Any]:
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    half = arguments[: len(arguments) // 2]
    return {**call, "function": {"name": name, "arguments": half}}
