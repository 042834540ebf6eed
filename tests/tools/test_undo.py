"""What tools did for a run that failed for good is undone, the last effect first."""

import asyncio

import pytest

from coordination.patience import RetryPolicy
from llm.contract import ForGood
from storage import undo
from storage.database import Database
from tests.support.ends import assert_answered
from tests.support.gates import Gate
from tests.support.one_process import OneProcess
from tests.support.points import away, once_at
from tests.support.tool_box import Shop
from tests.support.waiting import until_found

DAYS = ("Monday", "Tuesday", "Wednesday")
SLOWLY = RetryPolicy(base=1e9, cap=1e9)
STATES = """
SELECT arguments ->> 'day' AS day, state, undo_attempts, undo_error FROM effects ORDER BY place
"""
TOLD = """
SELECT type, payload ->> 'final' AS final FROM events WHERE type LIKE 'tool_und%' ORDER BY version
"""


async def fail_after(process: OneProcess, *calls: tuple[str, dict[str, object]]) -> None:
    """A run that calls tools, and then gets its apology."""
    await process.hear(1)
    async with process.answering() as first:
        then = first
        for tool, arguments in calls:
            then.calls(tool, **arguments)
            then = await process.writer.next_call()
        then.fail(ForGood("refused"))
    assert process.courier.sent == ["Sorry."]


async def book_and_fail(process: OneProcess) -> None:
    bookings: list[tuple[str, dict[str, object]]] = [("book", {"day": day}) for day in DAYS]
    await fail_after(process, *bookings)


async def states(db: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await db.fetch(STATES, {})]


async def test_the_undos_run_in_reverse_order_and_once(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await book_and_fail(process)
    for _ in range(4):
        await process.undoer.sweep()
    assert shop.undone == ["Wednesday", "Tuesday", "Monday"]
    assert await states(db) == [(day, "undone", 1, None) for day in DAYS]
    assert await undo.open_effects(db) == []
    await assert_answered(db, 1)


async def test_one_that_succeeds_at_the_third_attempt_holds_up_the_earlier_ones(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.failing_undos["Tuesday"] = 2
    await book_and_fail(process)
    await process.undoer.sweep()
    assert shop.undone == ["Wednesday", "Tuesday", "Monday"]
    assert shop.undo_attempts == {"Wednesday": 1, "Tuesday": 3, "Monday": 1}
    assert [state for _, state, *_ in await states(db)] == ["undone"] * 3
    assert [tuple(row) for row in await db.fetch(TOLD, {})] == [
        ("tool_undone", "false"),
        ("tool_undo_failed", "false"),
        ("tool_undo_failed", "false"),
        ("tool_undone", "false"),
        ("tool_undone", "false"),
    ]


async def test_one_that_never_succeeds_is_given_up_and_listed(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.failing_undos["Tuesday"] = 1000
    await book_and_fail(process)
    await process.undoer.sweep()
    assert shop.undone == ["Wednesday", "Monday"]
    [left] = await undo.open_effects(db)
    assert left["state"] == "not_undone"
    assert left["undo_attempts"] == shop.undo_attempts["Tuesday"] == 4
    assert left["undo_error"] == "Tuesday cannot be undone now"
    assert (await db.fetch(TOLD, {}))[-2].final == "true"


async def test_a_later_attempt_waits_for_its_due_time(db: Database, shop: Shop) -> None:
    """And its due time is in the table: a process that starts later knows it."""
    process = OneProcess(db, "ada", shop.box, undoing=SLOWLY)
    shop.failing_undos["Monday"] = 1
    await fail_after(process, ("book", {"day": "Monday"}))
    for name in ("ada", "bob"):
        await OneProcess(db, name, shop.box, undoing=SLOWLY).undoer.sweep()
    assert shop.undo_attempts["Monday"] == 1
    await db.fetch("UPDATE effects SET undo_due_at = now() RETURNING 1", {})
    await OneProcess(db, "bob", shop.box).undoer.sweep()
    assert shop.undone == ["Monday"]


async def test_what_declares_no_undo_or_failed_is_not_undone(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.troubles = [ZeroDivisionError()]
    await fail_after(
        process, ("book", {"day": "Monday"}), ("pay", {"amount": 5}), ("book", {"day": "Friday"})
    )
    await process.undoer.sweep()
    assert shop.undone == ["Friday"]
    [left] = await undo.open_effects(db)
    assert (left["tool"], left["undo_error"]) == ("pay", "the tool declares no undo")


async def test_nothing_is_undone_after_an_answer(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        (await process.writer.next_call()).answer("Booked.")
    await process.undoer.sweep()
    assert shop.undone == []
    assert await states(db) == [("Monday", "done", 0, None)]


async def test_two_processes_undo_once(process: OneProcess, db: Database, shop: Shop) -> None:
    await book_and_fail(process)
    other = OneProcess(db, "bob", shop.box)
    await asyncio.gather(*(each.undoer.sweep() for each in (process, other) * 3))
    await process.undoer.sweep()
    assert shop.undone == ["Wednesday", "Tuesday", "Monday"]


async def test_an_undo_that_was_not_recorded_is_made_again_with_its_key(
    process: OneProcess, db: Database, database_url: str, shop: Shop
) -> None:
    await fail_after(process, ("book", {"day": "Monday"}))
    gate = Gate()
    frozen = Database(database_url, once_at("before settle_undo", gate.pass_through))
    sweeping = asyncio.create_task(OneProcess(frozen, "bob", shop.box).undoer.sweep())
    await gate.arrival()
    await process.undoer.sweep()
    assert shop.undone == ["Monday"], "its claim has not run out"
    await db.fetch("UPDATE effects SET undo_due_at = now() RETURNING 1", {})
    await process.undoer.sweep()
    gate.open()
    await sweeping
    assert shop.undone == ["Monday", "Monday"]
    assert await states(db) == [("Monday", "undone", 2, None)]
    await frozen.close()


@pytest.mark.parametrize("point", ["before tool_call", "before settle_undo", "after settle_undo"])
async def test_a_database_that_is_away_for_a_moment_puts_nothing_off(
    process: OneProcess, db: Database, database_url: str, shop: Shop, point: str
) -> None:
    await fail_after(process, ("book", {"day": "Monday"}))
    troubled = Database(database_url, once_at(point, away))
    await OneProcess(troubled, "bob", shop.box).undoer.sweep()
    await troubled.close()
    assert await states(db) == [("Monday", "undone", 1, None)]


async def test_a_late_settlement_changes_nothing(process: OneProcess, db: Database) -> None:
    await fail_after(process, ("book", {"day": "Monday"}))
    [late] = await undo.claim_undos(db, time_limit=process.rules.quiet, most=9)
    await process.undoer.sweep()
    assert not await undo.settle_undo(db, late, error="late")
    assert [state for _, state, *_ in await states(db)] == ["undone"]


async def test_an_undo_of_a_tool_that_is_gone_is_listed(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await fail_after(process, ("book", {"day": "Monday"}))
    await OneProcess(db, "bob").undoer.sweep()
    [left] = await undo.open_effects(db)
    assert left["undo_error"] == "no tool of that name, with an undo, is loaded"
    assert shop.undone == []


async def test_an_undo_waits_for_the_resource_that_its_tool_shares(
    process: OneProcess, db: Database, database_url: str, shop: Shop
) -> None:
    await fail_after(process, ("use", {"names": ["oven"]}))
    shop.gate = Gate()
    other = OneProcess(db, "bob", shop.box)
    await other.hear(2)
    async with other.answering() as call:
        call.calls("use", names=["oven"])
        await shop.gate.arrival()
        undoing = asyncio.create_task(process.undoer.sweep())
        await until_found(database_url, "SELECT 1 FROM effects WHERE undo_attempts > 0")
        assert not undoing.done()
        shop.gate.open()
        (await other.writer.next_call()).answer("Used.")
    await undoing
    assert shop.undone == ["oven"]
