"""A message as the page receives it."""

from collections.abc import Mapping
from typing import Any

from bot.standins.chats import Line
from bot.standins.origins import origin_name

_FILES = ("voice", "video_note", "document", "sticker")
_FACTS = ("contact", "location", "poll")
_FILE_FACTS = ("file_name", "mime_type", "file_size", "duration", "emoji")


def line_detail(line: Line) -> dict[str, Any]:
    """Everything that the page shows of it; what it has not is left out."""
    content = line.content
    detail: dict[str, Any] = {
        "message_id": line.message_id,
        "thread_id": line.thread_id,
        "from_bot": line.from_bot,
        "text": line.text,
        "date": line.date,
        "edited": line.edit_date is not None,
    }
    found = {
        "entities": content.get("entities") or content.get("caption_entities"),
        "rich": line.rich,
        "album": content.get("media_group_id"),
        "media": _media(content),
        "reply": _reply(content),
        "forwarded": _forwarded(content),
        "buttons": content.get("reply_markup", {}).get("inline_keyboard"),
    }
    return detail | {name: value for name, value in found.items() if value is not None}


def _media(content: Mapping[str, Any]) -> dict[str, Any] | None:
    if "photo" in content:
        biggest = content["photo"][-1]
        return {
            "kind": "photo",
            "file": biggest["file_unique_id"],
            "width": biggest["width"],
            "height": biggest["height"],
        }
    for kind in _FILES:
        if kind in content:
            held = content[kind]
            facts = {name: held[name] for name in _FILE_FACTS if name in held}
            return {"kind": kind, "file": held["file_unique_id"], **facts}
    for kind in _FACTS:
        if kind in content:
            return {"kind": kind, **content[kind]}
    return None


def _reply(content: Mapping[str, Any]) -> dict[str, Any] | None:
    replied = content.get("reply_to_message")
    if replied is None:
        return None
    quote = content.get("quote", {}).get("text")
    words = quote or replied.get("text") or replied.get("caption") or _rich_words(replied)
    return {
        "message_id": replied["message_id"],
        "from_bot": replied["from"]["is_bot"],
        "text": words,
        "quoted": quote is not None,
    }


def _rich_words(message: Mapping[str, Any]) -> str:
    blocks = message.get("rich_message", {}).get("blocks", [])
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def _forwarded(content: Mapping[str, Any]) -> str | None:
    origin = content.get("forward_origin")
    return None if origin is None else origin_name(origin)
