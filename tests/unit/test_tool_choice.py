"""Which tools the stand-in model calls, and what for."""

from typing import Any

import pytest

from bot.standins.answers import friendly_answer
from bot.standins.tool_choice import chosen_tools

TOOLS = ["save_contact", "remind_me", "list_reminders", "cancel_reminder"]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calling(name: str, arguments: str) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "1", "content": text}


def wished(*texts: str) -> list[tuple[str, dict[str, Any]]]:
    chosen = chosen_tools([user(text) for text in texts], TOOLS)
    return [(use["name"], use["arguments"]) for use in chosen]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("please call look", {}),
        ('call look {"day": "2030-01-31"}', {"day": "2030-01-31"}),
        ("call look {oops}", {}),
        ("call look [1]", {}),
    ],
)
def test_any_tool_by_its_name(text: str, arguments: dict[str, Any]) -> None:
    [use] = chosen_tools([user(text)], ["look"])
    assert use == {"name": "look", "arguments": arguments}
    assert chosen_tools([user(text)], ["another"]) == []


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("my phone is 555-0100", {"phone": "555-0100"}),
        ("+1 (555) 010-0100, please", {"phone": "+1 (555) 010-0100"}),
        ("or by e-mail: ada@example.org.", {"email": "ada@example.org"}),
        ("call 5550100\nno, 5550199", {"phone": "5550199"}),
        ("ada.1234567@example.org", {"email": "ada.1234567@example.org"}),
    ],
)
def test_contact(text: str, contact: dict[str, str]) -> None:
    assert wished(text) == [("save_contact", contact)]


@pytest.mark.parametrize(
    "text",
    [
        "my phone is 123",
        "on 2026-11-30",
        "wait 86400000 seconds",
        "from 192.168.100.200",
        "1234567890123456789",
        "m1234567",
        "ada@home",
        "remind me to eat",
        "remind me in 5 parsecs to eat",
        "cancel reminder",
    ],
)
def test_no_wish(text: str) -> None:
    assert wished(text) == []


def test_contact_of_a_whole_turn() -> None:
    both = [("save_contact", {"phone": "555-0100", "email": "ada@example.org"})]
    assert wished("555-0100", "hm", "ada@example.org") == both
    assert wished("555-0100\nhm\nada@example.org") == both


@pytest.mark.parametrize(
    ("when", "seconds"),
    [("1 second", 1), ("30 seconds", 30), ("5 Minutes", 300), ("2 hours", 7200), ("1 day", 86400)],
)
def test_reminder(when: str, seconds: int) -> None:
    reminder = {"text": "call mum", "in_seconds": seconds}
    assert wished(f"Please remind me in {when} to call mum\nthanks") == [("remind_me", reminder)]


def test_several_wishes_at_once() -> None:
    assert wished(
        "remind me in 5 seconds to eat\nremind me in 9 seconds to sleep",
        "ada@example.org, and list my reminders, then cancel reminder 3 and cancel reminder 4",
    ) == [
        ("save_contact", {"email": "ada@example.org"}),
        ("remind_me", {"text": "eat", "in_seconds": 5}),
        ("remind_me", {"text": "sleep", "in_seconds": 9}),
        ("list_reminders", {}),
        ("cancel_reminder", {"number": 3}),
        ("cancel_reminder", {"number": 4}),
    ]


def test_only_what_is_offered() -> None:
    burst = [user("ada@example.org"), user("list my reminders")]
    assert chosen_tools(burst, ["list_reminders"]) == [{"name": "list_reminders", "arguments": {}}]
    assert chosen_tools(burst, []) == []
    assert chosen_tools([{"role": "system", "content": "ada@example.org"}], TOOLS) == []


def test_only_once_since_the_newest_user_turn() -> None:
    saved = [calling("save_contact", '{"email": "ada@example.org"}'), result("saved")]
    asked = [user("ada@example.org"), *saved]
    assert chosen_tools(asked, TOOLS) == []
    again = chosen_tools([*asked, {"role": "assistant", "content": "Saved."}, *asked[:1]], TOOLS)
    assert [use["name"] for use in again] == ["save_contact"]
    assert chosen_tools([*asked, user("thanks")], TOOLS) == []


def test_again_if_the_arguments_were_broken() -> None:
    asked = [user("ada@example.org"), calling("save_contact", '{"ema'), result("no JSON")]
    assert [use["name"] for use in chosen_tools(asked, TOOLS)] == ["save_contact"]


def test_answer_has_the_burst_and_what_the_tools_said() -> None:
    asked = [
        user("an older question"),
        calling("list_reminders", "{}"),
        result("an older result"),
        {"role": "assistant", "content": "an older answer"},
        user("my e-mail"),
        user("is ada@example.org"),
        calling("save_contact", "{}"),
        result("saved as 7"),
    ]
    answer = friendly_answer(asked)
    assert [text in answer for text in ("my e-mail", "is ada@example.org", "saved as 7")] == [
        True,
        True,
        True,
    ]
    assert "older" not in answer
