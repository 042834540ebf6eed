"""One request for a chat completion, as it goes over the wire."""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from llm.contract import ToolSpec, Turn

_BYTES_PER_TOKEN = 4
_TOKENS_PER_IMAGE = 765
"""What OpenAI counts for a large one (platform.openai.com, "Images and vision": 85 + 4 x 170)."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What is asked."""

    turns: Sequence[Turn]
    tools: Sequence[ToolSpec] = ()
    temperature: float | None = None

    def body(self, model: str) -> dict[str, object]:
        """Return the JSON of a streamed request; what is not wanted is not mentioned at all."""
        body: dict[str, object] = {
            "model": model,
            "messages": [_message(turn) for turn in self.turns],
            "stream": True,
        }
        if self.tools:
            body["tools"] = [_tool(spec) for spec in self.tools]
        if self.temperature is not None:
            body["temperature"] = self.temperature
        return body

    def estimated_tokens(self) -> int:
        """Estimate the tokens of the prompt at four bytes of UTF-8 each.

        OpenAI's rule of thumb: a token is about four characters of English
        (help.openai.com, "What are tokens and how to count them?"). Bytes rather than characters,
        since other scripts need more tokens a character.
        """
        texts = [turn.text for turn in self.turns]
        texts += [call.name + call.arguments for turn in self.turns for call in turn.tool_calls]
        texts += [json.dumps(_tool(spec), ensure_ascii=False) for spec in self.tools]
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        images = sum(len(turn.images) for turn in self.turns)
        return -(-size // _BYTES_PER_TOKEN) + images * _TOKENS_PER_IMAGE


def _message(turn: Turn) -> dict[str, object]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.tool_call_id, "content": turn.text}
    if turn.images:
        return {"role": turn.role, "content": _parts(turn)}
    if not turn.tool_calls:
        return {"role": turn.role, "content": turn.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in turn.tool_calls
    ]
    return {"role": turn.role, "content": turn.text or None, "tool_calls": calls}


def _parts(turn: Turn) -> list[dict[str, object]]:
    parts: list[dict[str, object]] = [{"type": "text", "text": turn.text}]
    for image in turn.images:
        url = f"data:{image.mime};base64,{b64encode(image.data).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _tool(spec: ToolSpec) -> dict[str, object]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }
    return {"type": "function", "function": function}
