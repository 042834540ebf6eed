"""What the stand-in model says: an answer from which one can see what it was asked."""

import re
from typing import Any

from bot.standins.seen_pictures import pictures_seen

_WORD = re.compile(r"\S+\s*|\s+")


def friendly_answer(messages: list[dict[str, Any]]) -> str:
    """Repeat, line by line, all that the user said since the last answer, and what tools said.

    Pictures are counted and measured.
    """
    lines = lines_since_last_answer(messages)
    seen = pictures_seen(_since_last_answer(messages, "user"))
    said = [_about(lines)] if lines or not seen else []
    if seen:
        said.append(seen)
    texts = map(content_text, _since_last_answer(messages, "tool"))
    results = [f"• {text}" for text in texts if text.strip()]
    return "\n".join([*said, *(["The tools say:"] if results else []), *results])


def lines_since_last_answer(messages: list[dict[str, Any]]) -> list[str]:
    """Gather the non-empty lines of the user's latest turn, however many messages it came in."""
    texts = map(content_text, _since_last_answer(messages, "user"))
    return [line.strip() for text in texts for line in text.splitlines() if line.strip()]


def content_text(content: Any) -> str:
    """Read a message's content, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_part_text(part) for part in content if isinstance(part, dict))


def split_words(text: str) -> list[str]:
    """Cut a text into words that keep the space after them; joined they are the text again."""
    return _WORD.findall(text)


def _about(lines: list[str]) -> str:
    if not lines:
        return "I am here. What would you like to tell me?"
    if len(lines) == 1:
        return f"Got it, you wrote:\n• {lines[0]}\nIs there anything else?"
    return "\n".join(["Thank you, I read all of it:", *(f"• {line}" for line in lines)])


def _since_last_answer(messages: list[dict[str, Any]], role: str) -> list[Any]:
    """What was said in that role; an assistant that only calls tools has not answered yet."""
    contents: list[Any] = []
    for message in reversed(messages):
        if message.get("role") == "assistant" and not message.get("tool_calls"):
            break
        if message.get("role") == role:
            contents.append(message.get("content"))
    return contents[::-1]


def _part_text(part: dict[str, Any]) -> str:
    if part.get("type") == "text":
        return str(part.get("text", ""))
    if part.get("type") == "image_url":
        return ""
    return f"[{part.get('type', 'unknown part')}]"
