"""G9: a tool's side effect happens once per burst, however often the run is repeated."""

import asyncio
from collections import Counter

import pytest

from coordination.tools.tool import Call, ToolFailed, acting, reading
from coordination.tools.toolbox import Toolbox
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess

DONE: Counter[str] = Counter()
GO_ON = asyncio.Event()
STARTED = asyncio.Event()


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


@acting(on_crash="repeat")
async def book(call: Call, day: str, people: int = 2) -> str:
    """Book a table."""
    DONE[call.key] += 1
    return f"booked for {people} on {day}"


@acting(on_crash="repeat")
async def slow(call: Call) -> str:
    """Take one's time."""
    STARTED.set()
    await GO_ON.wait()
    DONE[call.key] += 1
    return "slowly done"


@acting(on_crash="repeat")
async def refuse(call: Call) -> str:
    """Refuse."""
    DONE[call.key] += 1
    raise ToolFailed("No table is free.")


@reading()
def look(day: str) -> str:
    """Look whether a table is free."""
    return f"free on {day}"


BOX = Toolbox([book, slow, refuse, look])


@pytest.fixture
def process(db: Database) -> OneProcess:
    return OneProcess(db, "ada", BOX)


async def test_g9_a_tool_is_called_and_its_result_reaches_the_model(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        then = await process.writer.next_call()
        assert [turn.role for turn in then.turns] == ["user", "assistant", "tool"]
        assert then.turns[-1].text == "booked for 2 on Monday"
        then.answer("Your table is booked.")
    assert process.courier.sent == ["Your table is booked."]
    assert sum(DONE.values()) == 1
    await assert_guarantees(db)


async def test_g9_a_superseded_run_has_acted_and_the_next_one_does_not_act_again(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        await process.writer.next_call()
        await process.hear(2)
    async with process.answering() as call:
        assert [turn.role for turn in call.turns] == ["user", "assistant", "tool", "user"]
        call.calls("book", people=2, day=" Monday ")
        then = await process.writer.next_call()
        assert then.turns[-1].text == "booked for 2 on Monday"
        then.answer("Booked.")
    assert process.courier.sent == ["Booked."]
    assert sum(DONE.values()) == 1
    await assert_guarantees(db)
