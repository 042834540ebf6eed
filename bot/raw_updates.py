"""Updates as they come over the wire, before anybody knows whether they make sense."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

MOST_KEPT = 32 * 1024 * 1024
"""Characters of one update that are put aside: more would time out, again and again."""

RESULT = re.compile(r'\s*\{\s*"ok"\s*:\s*true\s*,\s*"result"\s*:\s*\[')
TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
END = re.compile(r"\s*\}\s*")
UPDATE_ID = re.compile(r'\s*\{\s*"update_id"\s*:\s*([1-9]\d{0,17})\s*,')


class Unreadable(str):
    """The text of an update that is no JSON to Python: nested too deeply, numbers too long."""

    __slots__ = ()


def load_answer(text: str) -> Any:
    """Read an answer of Telegram; a list of updates with one that cannot be read harms no other.

    Raises:
        ValueError, RecursionError: all of it is unreadable.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if not (start := RESULT.match(text)):
            raise
        return {"ok": True, "result": list(_members(text, start.end()))}


def update_id_of(update: Any) -> int | None:
    """The id by which Telegram can be told that we have it; an odd one would confirm others."""
    if isinstance(update, Unreadable):
        found = UPDATE_ID.match(update)
        return int(found[1]) if found else None
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if type(number) is int and 0 < number < 2**63 else None


def chat_of(update: Any) -> int | None:
    """The chat in which the order of updates matters."""
    for content in update.values() if isinstance(update, dict) else ():
        # A button is pressed under a message.
        place = content.get("message", content) if isinstance(content, dict) else None
        if isinstance(place, dict) and isinstance(chat := place.get("chat"), dict):
            return number if isinstance(number := chat.get("id"), int) else None
    return None


def next_offset(updates: Sequence[Any]) -> int | None:
    """What confirms these updates; None if nothing does.

    The offset follows what came and is not kept: Telegram restarts the sequence of ids at random
    after a quiet week, and a bot that insisted on a higher one would not hear its users.
    """
    ids = [number for update in updates if (number := update_id_of(update)) is not None]
    return max(ids) + 1 if ids else None


async def as_json(update: Any) -> str:
    """The update as it may be kept and read again."""
    if isinstance(update, Unreadable):
        return update[:MOST_KEPT]
    try:
        text = json.dumps(update)
    except RecursionError:
        # It was read with less on the stack than there is now: a thread begins with an empty one.
        text = await asyncio.to_thread(json.dumps, update)
    return text[:MOST_KEPT]


def _members(text: str, start: int) -> Iterator[Any]:
    depth = 0
    for token in TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
        elif depth == 0 and token[0] in ",]":
            yield _member(text[start : token.start()])
            start = token.end()
            if token[0] == "]" and END.fullmatch(text, start):
                return
        elif token[0] in "]}":
            depth -= 1
    raise ValueError("the list of updates was cut off")


def _member(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return Unreadable(text)
