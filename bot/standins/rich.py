"""Rich messages: what Telegram accepts as one. What was given is kept, and parsed but roughly."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.standins.wire import ApiError, json_value

_LONGEST = 32_768
_MOST_BLOCKS = 500
_SOURCES = ("markdown", "html", "blocks")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Rich:
    """A rich message: as `given`, in words, and as the Message object shows it."""

    given: Mapping[str, Any]
    text: str
    shown: dict[str, Any]


def checked_rich(params: Mapping[str, str], *, may_be_empty: bool = False) -> Rich:
    """The rich message of a call; a draft may still be empty."""
    given = json_value(params, "rich_message", "can't parse rich message JSON object")
    if not isinstance(given, dict):
        raise ApiError(400, "Bad Request: rich message must be specified")
    sources = [name for name in _SOURCES if given.get(name) is not None]
    if len(sources) != 1:
        raise ApiError(
            400, "Bad Request: can't parse rich message: exactly one of html, markdown or blocks"
        )
    source = given[sources[0]]
    _check_type(sources[0], source)
    text = source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)
    blocks = _paragraphs(source) if isinstance(source, str) else source
    if not (text.strip() and blocks) and not may_be_empty:
        raise ApiError(400, "Bad Request: message text is empty")
    if len(text) > _LONGEST or len(blocks) > _MOST_BLOCKS:
        raise ApiError(400, "Bad Request: RICH_MESSAGE_TOO_LONG")
    direction = {"is_rtl": True} if given.get("is_rtl") else {}
    return Rich(given, text, {"blocks": blocks, **direction})


def _check_type(name: str, source: Any) -> None:
    if not isinstance(source, list if name == "blocks" else str):
        raise ApiError(400, f"Bad Request: can't parse rich message: wrong type of {name}")
    if name == "blocks" and not all(
        isinstance(block, dict) and isinstance(block.get("type"), str) for block in source
    ):
        raise ApiError(400, "Bad Request: can't parse rich message: a block has no type")


def _paragraphs(source: str) -> list[dict[str, Any]]:
    return [
        {"type": "paragraph", "text": part.strip()}
        for part in _PARAGRAPHS.split(source)
        if part.strip()
    ]
