"""`onereply audit`: what it prints, and how it exits."""

import asyncio
import sys

import pytest

from bot.audit import audit_database
from storage.database import Database
from storage.embedded import EmbeddedPostgres
from tests.support.no_database import NO_DATABASE
from tests.support.one_of_each import one_of_each
from tests.support.postgres import EMPTY, fresh_database
from tests.support.processes import bot_process
from tests.support.surroundings import surroundings

LONG_AGO = """
UPDATE windows SET opened_at = now() - interval '1 hour', closes_at = now() - interval '1 hour'
WHERE chat_id = 501 RETURNING chat_id
"""
UNCOUNT = "UPDATE conversations SET superseded_count = 7 RETURNING chat_id"


async def said_by(capsys: pytest.CaptureFixture[str], *, late_after: float = 60) -> tuple[int, str]:
    code = await audit_database(late_after, most_rows=2)
    return code, capsys.readouterr().out


@pytest.mark.usefixtures("this_database")
async def test_a_line_for_each_guarantee_then_the_figures(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    await one_of_each(db)
    code, said = await said_by(capsys)
    lines = said.splitlines()
    assert code == 0
    assert lines[0] == "ok   G1 messages are numbered up to the counter: 4 conversations"
    guarantees = [line.split()[1] for line in lines if line.startswith("ok   G")]
    assert guarantees == [
        *["G1"] * 4,
        "G2",
        *["G3"] * 2,
        "G4",
        "G5",
        *["G6"] * 3,
        *["G7"] * 3,
        "G10",
        *["G11"] * 4,
    ]
    assert lines[len(guarantees)] == "     conversations: 4"
    assert lines[-1] == "     updates set aside: 0"


@pytest.mark.usefixtures("this_database")
async def test_what_is_broken_and_what_is_late_is_shown_with_its_numbers(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    await one_of_each(db)
    await db.fetch(LONG_AGO, {})
    code, said = await said_by(capsys)
    assert code == 0
    assert "late G6 what is due is taken: 1 of 3 conversations\n       chat_id 501, " in said
    assert (await said_by(capsys, late_after=7200))[1].count("late") == 0
    await db.fetch(UNCOUNT, {})
    code, said = await said_by(capsys)
    assert code == 1
    told = said[said.index("FAIL G5") :].splitlines()
    assert told[:4] == [
        "FAIL G5 dropped and failed runs of a burst are counted: 4 of 4 conversations",
        *[
            f"       chat_id {chat_id}, thread_id 0, superseded_count 7, superseded_runs 0, "
            "model_attempts 0, postponed_runs 0: superseded runs miscounted"
            for chat_id in (501, 502)
        ],
        "       and 2 more",
    ]


async def test_the_process_exits_with_2_for_its_settings() -> None:
    async with bot_process({}, "audit") as process:
        assert await process.ended() == 2
    assert process.stderr.startswith("DATABASE_URL is not set")
    assert process.stdout == ""


async def test_the_process_exits_with_1_for_a_broken_guarantee(
    db: Database, database_url: str
) -> None:
    await one_of_each(db)
    await db.fetch(UNCOUNT, {})
    async with bot_process({"DATABASE_URL": database_url}, "audit", "--rows", "1") as process:
        assert await process.ended() == 1
    assert "and 3 more" in process.stdout


@pytest.mark.parametrize(("url", "said"), NO_DATABASE)
async def test_it_says_why_it_could_not_look(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str, said: str
) -> None:
    environment.setenv("DATABASE_URL", url)
    assert await audit_database(60, 20) == 2
    assert capsys.readouterr().err.startswith(said)


async def test_it_does_not_migrate(
    postgres: EmbeddedPostgres,
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with fresh_database(postgres, EMPTY) as dsn:
        environment.setenv("DATABASE_URL", dsn)
        for _ in range(2):
            assert await audit_database(60, 20) == 2
            assert "schema is None" in capsys.readouterr().err


async def test_it_does_not_load_aiogram() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", "import bot.__main__, bot.audit, sys; sys.exit('aiogram' in sys.modules)"),
        env=surroundings(),
    )
    assert await process.wait() == 0
