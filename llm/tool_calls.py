"""The tool calls of an answer, put together from what servers stream of them."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from llm.contract import ToolCall, TryLater
from llm.stream import whole_characters


@dataclass(slots=True)
class _Call:
    """A tool call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def finished(self, call_id: str) -> ToolCall:
        # Servers leave the arguments of a tool that takes none empty, but want JSON back.
        texts = (call_id, self.name, "".join(self.arguments).strip() or "{}")
        return ToolCall(*map(whole_characters, texts))


class ToolCallGatherer:
    """Gathers the tool calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def add(self, deltas: Any) -> None:
        """Add the `tool_calls` of a streamed delta or of a whole message.

        Raises whatever Python raises on JSON of another shape.
        """
        if not isinstance(deltas, list):
            raise TypeError("tool_calls is no list")
        for delta in deltas:
            function = delta.get("function") or {}
            call_id, name = _text(delta.get("id")), _text(function.get("name"))
            call = self._call(delta.get("index"), call_id, name)
            # Only the first of each counts: some servers repeat the name, and vLLM made up a new
            # id, in every delta.
            call.id = call.id or call_id
            call.name = call.name or name
            call.arguments.append(_text(function.get("arguments")))

    def finished(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order in which they began.

        Raises:
            TryLater: a call without a name.
        """
        taken = {call.id for call in self._calls}
        invented = (name for name in map("call_{}".format, count(1)) if name not in taken)
        finished: dict[str, ToolCall] = {}
        for call in self._calls:
            if not call.name:
                raise TryLater("tool call without a name")
            call_id = call.id if call.id and call.id not in finished else next(invented)
            finished[call_id] = call.finished(call_id)
        return tuple(finished.values())

    def _call(self, index: Any, call_id: str, name: str) -> _Call:
        known = self._known(index)
        if known is None or (name and self._begins_another(known, index, call_id)):
            known = _Call()
            self._calls.append(known)
        if isinstance(index, int):
            self._by_index[index] = known
        return known

    def _known(self, index: Any) -> _Call | None:
        if isinstance(index, int):
            return self._by_index.get(index)
        return self._calls[-1] if self._calls else None

    def _begins_another(self, known: _Call, index: Any, call_id: str) -> bool:
        if not isinstance(index, int):
            return not call_id or call_id != known.id
        # Gemini's compatible endpoint sent parallel calls whole, all of them with index 0.
        return bool(call_id and known.id) and call_id != known.id


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a tool call is not text")
    return value
