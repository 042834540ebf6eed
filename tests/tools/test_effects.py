"""`onereply effects`: what it prints, and how it exits."""

import json

import pytest

from bot.effects import show_effects
from llm.contract import ForGood
from storage.database import Database
from tests.support.no_database import NO_DATABASE
from tests.support.one_process import OneProcess
from tests.support.processes import bot_process
from tests.support.tool_box import Shop

pytestmark = pytest.mark.usefixtures("this_database")

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


async def test_nothing_to_look_at(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        (await process.writer.next_call()).answer("Booked.")
    capsys.readouterr()
    assert await show_effects(as_json=False) == 0
    assert capsys.readouterr().out == "Nothing is left to be undone.\n"
    assert await show_effects(as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == []


async def test_a_table_of_what_is_left(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    process = await fail_with_effects(db)
    capsys.readouterr()
    assert await show_effects(as_json=False) == 1
    header, book, pay = capsys.readouterr().out.splitlines()
    assert header.split() == ["chat", "burst", "tool", "arguments", "state", "why", "attempts"]
    assert book.split() == ["501", "1", "book", '{"day":', '"Monday"}', "to", "be", "undone", "0"]
    assert "not undone" in pay
    assert "the tool declares no undo" in pay
    assert header.index("state") == book.index("to be") == pay.index("not undone")
    await process.undoer.sweep()
    capsys.readouterr()
    assert await show_effects(as_json=True) == 1
    assert json.loads(capsys.readouterr().out) == [
        {
            "chat": "501",
            "burst": 1,
            "tool": "pay",
            "arguments": {"amount": 5},
            "state": "not undone",
            "why": "the tool declares no undo",
            "attempts": 0,
        }
    ]


async def test_a_call_that_nobody_resolved(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    await fail_with_effects(db)
    await db.fetch(f"{AN_HOUR_AGO}, undo_due_at = NULL WHERE tool = 'book' RETURNING 1", {})
    assert await show_effects(as_json=False) == 1
    assert "interrupted" in capsys.readouterr().out


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
