"""Tools that fail or dawdle, and calls that cannot be: the model is told, the run goes on."""

import asyncio

import pytest

from coordination.tools.attempt import attempt
from coordination.tools.tool import Call, reading
from storage.database import Database
from tests.support.acts import ADA
from tests.support.ends import assert_answered
from tests.support.one_process import OneProcess
from tests.support.tool_box import Shop
from tests.support.tool_talk import EFFECTS, outcomes, told


@pytest.mark.parametrize(
    "trouble", [ZeroDivisionError(), SystemExit(), asyncio.CancelledError()], ids=repr
)
async def test_a_tool_that_breaks_or_dawdles_does_not_break_the_run(
    process: OneProcess, db: Database, shop: Shop, trouble: BaseException
) -> None:
    shop.troubles = [trouble]
    await process.hear(1)
    async with process.answering() as call:
        call.calls("pay", amount=1)
        then = await process.writer.next_call()
        assert then.turns[-1].text == "It failed: the tool is broken."
        assert "too long" in await told(process, then, "dawdle")
    assert await outcomes(db) == ["failed", "unknown"]
    await assert_answered(db, 1)


async def test_a_call_that_is_cancelled_is_no_tool_that_breaks(db: Database) -> None:
    begun = asyncio.Event()

    @reading()
    async def wait() -> str:
        """Wait."""
        begun.set()
        await asyncio.Event().wait()
        return ""

    call = Call(ADA, "key", db)
    calling = asyncio.create_task(attempt(db, wait, wait.function, call, wait.arguments()))
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling


async def test_g9_a_tool_whose_result_cannot_be_said_has_acted(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        assert await told(process, call, "mumble") == "Done."
    assert shop.effects == 1
    assert await outcomes(db) == ["done"]
    await assert_answered(db, 1)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("fly", {}, "There is no tool called fly."),
        ("book", {}, "The arguments are not right: day: Field required"),
        ("book", {"day": "x", "year": 1}, "year: Extra inputs are not permitted"),
        ("look", {"day": "Monday"}, "free on Monday"),
        ("use", {"names": "no list"}, "names: "),
    ],
)
async def test_what_the_model_is_told_without_any_effect(
    process: OneProcess, db: Database, tool: str, arguments: dict[str, object], said: str
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        assert said in await told(process, call, tool, **arguments)
    assert await db.fetch(EFFECTS, {}) == []


async def test_what_postgresql_cannot_keep_is_called_and_recorded_all_the_same(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        assert await told(process, call, "book", day="a\0b") == "booked for 2 on a\ufffdb"
    assert shop.effects == 1
    await assert_answered(db, 1)


async def test_the_model_cannot_call_for_ever(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as first:
        then = first
        for number in range(8):
            then.calls("pay", amount=number)
            then = await process.writer.next_call()
        then.answer("Enough.")
    assert (shop.effects, process.courier.sent) == (8, ["Enough."])
    await assert_answered(db, 1)


async def test_g9_a_timed_out_call_that_verifies_is_done(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.troubles = [TimeoutError()]
    await process.hear(1)
    async with process.answering() as call:
        assert await told(process, call, "send", text="hello") == "hello was sent before"
    assert shop.effects == 1
    assert await outcomes(db) == ["verified"]
