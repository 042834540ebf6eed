"""What the stand-in model says: an answer from which one can see what it was asked."""

import re
from typing import Any

_WORD = re.compile(r"\S+\s*|\s+")


def friendly_answer(messages: list[dict[str, Any]]) -> str:
    """Repeat, line by line, all that the user said since the last answer, and what tools said."""
    said = _about(lines_since_last_answer(messages))
    results = [text for text in _since_last_answer(messages, "tool") if text.strip()]
    if not results:
        return said
    return "\n".join([said, "The tools say:", *(f"• {result}" for result in results)])


def lines_since_last_answer(messages: list[dict[str, Any]]) -> list[str]:
    """Gather the non-empty lines of the user's latest turn, however many messages it came in."""
    texts = _since_last_answer(messages, "user")
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


def _since_last_answer(messages: list[dict[str, Any]], role: str) -> list[str]:
    """What was said in that role; an assistant that only calls tools has not answered yet."""
    texts: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "assistant" and not message.get("tool_calls"):
            break
        if message.get("role") == role:
            texts.append(content_text(message.get("content")))
    return texts[::-1]


def _part_text(part: dict[str, Any]) -> str:
    if part.get("type") == "text":
        return str(part.get("text", ""))
    return f"[{part.get('type', 'unknown part')}]"
