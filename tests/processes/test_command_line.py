"""The commands as an operator types them: what they print, how they end, what they import."""

import asyncio
import pkgutil
import re
import sys
import tomllib
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import quote

import pytest

import bot.__main__
from storage import schema
from storage.embedded import EmbeddedPostgres
from tests.support.neighbours import KEY, Neighbours, neighbours
from tests.support.postgres import EMPTY, fresh_database
from tests.support.processes import bot_process
from tests.support.secrets import PASSWORD, TOKEN, assert_kept
from tests.support.surroundings import ROOT, surroundings

AT_SCHEMA = f"The database is at schema {schema.HEAD}.\n"


@pytest.fixture
async def unmigrated(postgres: EmbeddedPostgres) -> AsyncIterator[Neighbours]:
    async with fresh_database(postgres, EMPTY) as dsn, neighbours(dsn) as found:
        yield found


@pytest.mark.parametrize("command", ["run", "doctor", "migrate"])
async def test_a_wrong_setting_is_one_line_and_exit_code_2(command: str) -> None:
    wrong = {
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "OPENAI_API_KEY": KEY,
        "DATABASE_URL": f"mysql://bot:{quote(PASSWORD)}@db.example/bot",
        "LOG_LEVEL": "debug",
    }
    async with bot_process(wrong, command) as process:
        assert await process.ended() == 2
    [line] = (process.stdout + process.stderr).splitlines()
    assert "DATABASE_URL: " in line
    assert_kept(process)


async def test_each_missing_setting_is_one_line() -> None:
    async with bot_process({}, "run") as process:
        assert await process.ended() == 2
    names = [line.partition(" is not set")[0] for line in process.stderr.splitlines()]
    assert names == ["TELEGRAM_BOT_TOKEN", "OPENAI_API_KEY", "DATABASE_URL"]


async def test_help_names_the_commands_and_needs_no_telegram() -> None:
    code, lines = await imports_of("--help")
    assert code == 0
    printed = "\n".join(lines)
    for command in ("run", "local", "migrate", "doctor"):
        assert re.search(rf"\b{command}\b", printed)
    assert not any(imports_aiogram(line) for line in lines)


async def test_migrate_needs_no_telegram(unmigrated: Neighbours) -> None:
    code, lines = await imports_of("migrate", **unmigrated.environment())
    assert code == 0
    assert AT_SCHEMA.strip() in lines
    assert not any(imports_aiogram(line) for line in lines)


async def test_many_migrate_at_the_same_moment(unmigrated: Neighbours) -> None:
    environment = {"DATABASE_URL": unmigrated.database_url}
    async with AsyncExitStack() as running:
        migrating = [
            await running.enter_async_context(bot_process(environment, "migrate")) for _ in range(6)
        ]
        for process in migrating:
            assert await process.ended() == 0, process.stderr
            assert process.stdout == AT_SCHEMA


async def test_doctor_is_content_or_says_what_to_do(
    around: Neighbours, unmigrated: Neighbours
) -> None:
    await asyncio.gather(is_content(around), says_what_to_do(unmigrated))


async def is_content(around: Neighbours) -> None:
    """Telegram comes last, and only for it aiogram is imported."""
    code, lines = await imports_of("doctor", **around.environment())
    assert code == 0
    said = [line for line in lines if line.startswith(("ok", "FAIL"))]
    assert [line.split(":")[0] for line in said] == [
        "ok   settings",
        "ok   http",
        "ok   database",
        "ok   model",
        "ok   telegram",
    ]
    first_import = next(place for place, line in enumerate(lines) if imports_aiogram(line))
    assert lines.index(said[3]) < first_import < lines.index(said[4])


async def says_what_to_do(unmigrated: Neighbours) -> None:
    wrong = {"TELEGRAM_BOT_TOKEN": TOKEN, "OPENAI_API_KEY": "sk-nobody-may-see-this-key"}
    environment = unmigrated.environment(log_level="debug") | wrong
    async with bot_process(environment, "doctor") as process:
        assert await process.ended() == 1
    settings, http, database, model, telegram = process.stdout.splitlines()
    assert settings.startswith("ok")
    assert http.startswith("ok")
    assert re.match("FAIL database: .*onereply migrate", database)
    assert re.match("FAIL model: .*OPENAI_API_KEY", model)
    assert re.match("FAIL telegram: .*TELEGRAM_BOT_TOKEN", telegram)
    assert_kept(process)


def test_the_console_script_is_the_same_command_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert pkgutil.resolve_name(project["scripts"]["onereply"]) is bot.__main__.main


async def imports_of(*arguments: str, **environment: str) -> tuple[int | None, list[str]]:
    """Run a command; its exit code, and all it printed with each import in its place."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "importtime", "-m", "bot", *arguments),
        env=surroundings() | environment,
        cwd="/",
        stdout=PIPE,
        stderr=STDOUT,
    )
    printed, _ = await process.communicate()
    return process.returncode, printed.decode().splitlines()


def imports_aiogram(line: str) -> bool:
    return re.match(r"import time:.*\| *aiogram\b", line) is not None
