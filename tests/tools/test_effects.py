"""`onereply effects`: what it prints, and how it exits."""

import json

import pytest

from bot.effects import close_effect, show_effects
from llm.contract import ForGood, TryLater
from storage import undo
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.no_database import NO_DATABASE
from tests.support.one_process import DUE_NOW, OneProcess
from tests.support.processes import bot_process
from tests.support.tool_box import Shop

pytestmark = pytest.mark.usefixtures("this_database")

HALF_WAY = "UPDATE effects SET state = 'processing', holder = NULL RETURNING 1"
AN_HOUR_AGO = "UPDATE effects SET state = 'processing', expires_at = now() - interval '1 hour'"


async def fail_with_effects(db: Database) -> OneProcess:
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        then = await process.writer.next_call()
        then.calls("pay", amount=5)
        (await process.writer.next_call()).fail(ForGood("refused"))
    return process


async def leave_unknown(db: Database, tool: str) -> None:
    """A call that takes too long; or one that died half-way, of a tool that then gives up."""
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls(tool, **({"amount": 5} if tool == "pay" else {}))
        then = await process.writer.next_call()
        if tool == "pay":
            await db.fetch(HALF_WAY, {})
            then.calls(tool, amount=5)
            then = await process.writer.next_call()
        then.answer("I do not know.")


async def keys(db: Database) -> list[str]:
    return [row.key for row in await db.fetch("SELECT key FROM effects ORDER BY place", {})]


async def test_nothing_to_look_at(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        (await process.writer.next_call()).answer("Booked.")
    capsys.readouterr()
    assert await show_effects(as_json=False) == 0
    assert capsys.readouterr().out == "Nothing is left to be seen to.\n"
    assert await show_effects(as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == []


async def test_a_table_of_what_is_left(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    process = await fail_with_effects(db)
    capsys.readouterr()
    assert await show_effects(as_json=False) == 1
    header, book, pay = capsys.readouterr().out.splitlines()
    named = ["chat", "burst", "tool", "arguments", "state", "why", "attempts", "key"]
    assert header.split() == named
    *shown, key = book.split()
    assert shown == ["501", "1", "book", '{"day":', '"Monday"}', "to", "be", "undone", "0"]
    assert key in await keys(db)
    assert "not undone" in pay
    assert "the tool declares no undo" in pay
    assert header.index("state") == book.index("to be") == pay.index("not undone")
    await process.undoer.sweep()
    capsys.readouterr()
    assert await show_effects(as_json=True) == 1
    [found] = json.loads(capsys.readouterr().out)
    assert found.pop("key") in await keys(db)
    assert found == (
        {
            "chat": "501",
            "burst": 1,
            "tool": "pay",
            "arguments": {"amount": 5},
            "state": "not undone",
            "why": "the tool declares no undo",
            "attempts": 0,
        }
    )


@pytest.mark.parametrize("tool", ["dawdle", "pay"])
async def test_what_may_have_happened_is_listed_until_somebody_has_seen_to_it(
    db: Database, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    await leave_unknown(db, tool)
    capsys.readouterr()
    assert await show_effects(as_json=False) == 1
    assert "may have happened" in capsys.readouterr().out
    [key] = await keys(db)
    assert await close_effect(key) == 0
    assert await show_effects(as_json=False) == 0
    capsys.readouterr()
    assert await close_effect(key) == 1
    assert key in capsys.readouterr().err
    await assert_guarantees(db)


async def test_what_is_still_to_be_undone_cannot_be_closed(db: Database) -> None:
    await fail_with_effects(db)
    book, pay = await keys(db)
    assert [await close_effect(key) for key in (book, pay, "another")] == [1, 0, 1]
    [left] = await undo.open_effects(db)
    assert left["key"] == book


async def test_a_call_that_nobody_resolved(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    await fail_with_effects(db)
    await db.fetch(f"{AN_HOUR_AGO}, undo_due_at = NULL WHERE tool = 'book' RETURNING 1", {})
    assert await show_effects(as_json=False) == 1
    assert "interrupted" in capsys.readouterr().out


async def test_a_closed_call_that_a_later_run_resolves_is_listed_again(db: Database) -> None:
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls("pay", amount=5)
        (await process.writer.next_call()).fail(TryLater("away"))
    await db.fetch(f"{AN_HOUR_AGO} RETURNING 1", {})
    [key] = await keys(db)
    assert await close_effect(key) == 0
    await db.fetch(DUE_NOW, {})
    await process.answers("I do not know.")
    [left] = await undo.open_effects(db)
    assert left["state"] == "unknown"
    await assert_guarantees(db)


@pytest.mark.parametrize(("url", "said"), NO_DATABASE)
async def test_it_says_why_it_could_not_look(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str, said: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    assert await show_effects(as_json=False) == 2
    assert capsys.readouterr().err.startswith(said)


async def test_the_command_exits_so(db: Database, database_url: str) -> None:
    await fail_with_effects(db)
    async with bot_process({"DATABASE_URL": database_url}, "effects", "--json") as process:
        assert await process.ended() == 1
    assert [each["tool"] for each in json.loads(process.stdout)] == ["book", "pay"]
