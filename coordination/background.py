"""What the model must know beside what was said: who writes, what time it is, who was silent."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from storage.people import Background
from storage.records import StoredMessage

SILENCE = timedelta(hours=1)
HOURS_IN_WORDS = 48


def known(background: Background, *, with_time: bool) -> str:
    """Lines for the system prompt; empty: there is nothing to tell."""
    lines = []
    if background.name:
        language = f"; their language is {background.language}" if background.language else ""
        lines.append(f"The user's name is {background.name}{language}.")
    if with_time:
        lines.append(f"It is {background.now:%A, %Y-%m-%d %H:%M} UTC.")
    return "\n".join(lines)


def with_silences(messages: Sequence[StoredMessage]) -> list[StoredMessage]:
    """The messages in their order, each after a long silence saying how long that was."""
    told: list[StoredMessage] = []
    before: datetime | None = None
    for message in messages:
        since = _since(before, message.sent_at)
        told.append(replace(message, text=f"{since}\n{message.text}") if since else message)
        before = message.sent_at or before
    return told


def _since(before: datetime | None, now: datetime | None) -> str:
    if before is None or now is None or now - before <= SILENCE:
        return ""
    hours = int((now - before) / timedelta(hours=1))
    if hours >= HOURS_IN_WORDS:
        return f"[{hours // 24} days later]"
    return "[1 hour later]" if hours == 1 else f"[{hours} hours later]"
