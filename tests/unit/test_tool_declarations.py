"""What the model is told of a tool, and what cannot be one."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Any

import pytest
from pydantic import Field

from coordination.tools.tool import Call, acting, reading
from coordination.tools.toolbox import Toolbox
from storage.database import Database
from storage.records import ConversationKey


class Odd:
    """No type that JSON knows."""


@acting(time_limit=3, on_crash="give_up")
def book(
    call: Call,
    day: date,
    people: Annotated[int, Field(description="How many come", ge=1)] = 2,
) -> str:
    """Book a table.

    At the restaurant.
    """
    return f"{call.key} {day} {people}"


def test_name_description_and_schema_come_from_the_function() -> None:
    [spec] = Toolbox([book]).specs
    assert (spec.name, spec.description) == ("book", "Book a table.\n\nAt the restaurant.")
    assert spec.parameters["required"] == ["day"]
    assert spec.parameters["additionalProperties"] is False
    assert "title" not in spec.parameters
    properties: Any = spec.parameters["properties"]
    assert set(properties) == {"day", "people"}
    assert properties["day"]["format"] == "date"
    assert properties["people"]["description"] == "How many come"
    assert properties["people"]["default"] == 2
    assert properties["people"]["minimum"] == 1


def test_an_acting_tool_keeps_its_policy_and_its_time() -> None:
    assert (book.acts, book.on_crash, book.time_limit) == (True, "give_up", timedelta(seconds=3))


def test_a_reading_tool_does_not_act() -> None:
    @reading()
    def look() -> str:
        """Look."""
        return "seen"

    assert not look.acts


def untyped(day, call: Call) -> None:  # type: ignore[no-untyped-def]
    """Act."""


def silent(day: str) -> None:
    pass


def odd(what: Odd) -> None:
    """Act."""


def function(what: Callable[[int], int]) -> None:
    """Act."""


def any_number(*days: str) -> None:
    """Act."""


def any_name(**days: str) -> None:
    """Act."""


def nameless(day: str, /) -> None:
    """Act."""


def hidden(_day: str) -> None:
    """Act."""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (untyped, "day has no type"),
        (silent, "needs a docstring"),
        (odd, "no schema"),
        (function, "no schema"),
        (any_number, "no *days"),
        (any_name, "no *days"),
        (nameless, "has no name for the model"),
        (hidden, "has no name for the model"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_cannot_be_a_tool_is_refused_in_one_line(wrong: Any, said: str) -> None:
    with pytest.raises(TypeError) as refused:
        reading()(wrong)
    assert str(refused.value).startswith(f"{wrong.__name__}: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def with_day(day: str) -> None:
    """Act."""


@pytest.mark.parametrize(
    "how",
    [
        {"on_crash": "repeat", "undo": lambda day: day},
        {"on_crash": "repeat", "undo": lambda call, result: (call, result)},
        {"on_crash": "verify", "verify": lambda call: call},
        {"on_crash": "repeat", "resources": lambda: ["car"]},
        {"on_crash": "verify"},
        {"on_crash": "repeat", "verify": lambda day: day},
        {"on_crash": "repeats"},
        {"on_crash": "repeat", "time_limit": 0},
        {"on_crash": "repeat", "resources": "car"},
    ],
)
def test_what_could_not_be_called_later_is_refused_now(how: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        acting(**how)(with_day)


async def test_what_returns_a_coroutine_is_waited_for(db: Database) -> None:
    undone: list[str] = []

    async def cancel(day: str) -> None:
        undone.append(day)

    tool = acting(on_crash="repeat", undo=lambda day, result: cancel(f"{day}, {result}"))(with_day)
    assert tool.undo
    call = Call(ConversationKey(1, 0), "key", db)
    await tool.run(tool.undo, call, tool.arguments(day="Monday"), result="booked")
    assert undone == ["Monday, booked"]


def test_undo_verify_and_resources_get_the_arguments() -> None:
    tool = acting(
        on_crash="verify",
        verify=lambda call, day: (call, day),
        undo=lambda day, result: (day, result),
        resources=lambda day: [f"room on {day}", "car", "car"],
    )(with_day)
    assert tool.resources_for(tool.arguments(day="Monday")) == ["car", "room on Monday"]
