"""Which tools the stand-in model wants called: it understands a few plain wishes."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, TypedDict

from bot.standins.answers import content_text

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# Neither a date nor a number of seconds is a phone number.
_PHONE = re.compile(
    r"(?<![\w.-])(?!\d{4}-\d\d-\d\d\b)\+?\(?\d[\d ()-]{5,20}\d"
    r"(?!\w|\.\d|\s*(?:second|minute|hour|day)s?\b)"
)
_PHONE_DIGITS = range(7, 16)
_REMIND = re.compile(
    r"\bremind me in ([0-9]{1,9}) (second|minute|hour|day)s? to (\S.*)", re.IGNORECASE
)
_LIST = re.compile(r"\blist my reminders\b", re.IGNORECASE)
_CANCEL = re.compile(r"\bcancel reminder ([0-9]{1,9})\b", re.IGNORECASE)
_ANY = re.compile(r"\bcall ([A-Za-z_]\w*)(?:\s+(\{.*\}))?")
_UNIT_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


class ToolUse(TypedDict):
    """A tool to be called."""

    name: str
    arguments: dict[str, Any]


def chosen_tools(messages: list[dict[str, Any]], offered: Collection[str]) -> list[ToolUse]:
    """What the newest user turn wishes of the offered tools and was not called for since."""
    end = max(
        (place + 1 for place, each in enumerate(messages) if each.get("role") == "user"), default=0
    )
    begin = end
    while begin and messages[begin - 1].get("role") == "user":
        begin -= 1
    text = "\n".join(content_text(each.get("content")) for each in messages[begin:end])
    done, chosen = list(_called(messages[end:])), []
    for wish in _wishes(text):
        if wish["name"] in offered and wish not in done:
            done.append(wish)
            chosen.append(wish)
    return chosen


def _called(messages: list[dict[str, Any]]) -> Iterator[ToolUse]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            try:
                yield {"name": function["name"], "arguments": json.loads(function["arguments"])}
            except ValueError:
                continue  # nobody could carry that out, so it is worth another try


def _wishes(text: str) -> Iterator[ToolUse]:
    contact = _contact(text)
    if contact:
        yield {"name": "save_contact", "arguments": contact}
    for amount, unit, what in _REMIND.findall(text):
        seconds = int(amount) * _UNIT_SECONDS[unit.lower()]
        yield {
            "name": "remind_me",
            "arguments": {"text": what.strip(), "in_seconds": seconds},
        }
    if _LIST.search(text):
        yield {"name": "list_reminders", "arguments": {}}
    for number in _CANCEL.findall(text):
        yield {"name": "cancel_reminder", "arguments": {"number": int(number)}}
    for name, arguments in _ANY.findall(text):
        yield {"name": name, "arguments": _as_object(arguments)}


def _as_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _contact(text: str) -> dict[str, str]:
    """The phone number and e-mail address named last: whoever writes two corrects the first."""
    emails = _EMAIL.findall(text)
    phones = [
        phone
        for phone in _PHONE.findall(_EMAIL.sub(" ", text))
        if sum(map(str.isdigit, phone)) in _PHONE_DIGITS
    ]
    found = {"phone": phones[-1:], "email": emails[-1:]}
    return {name: last[0] for name, last in found.items() if last}
