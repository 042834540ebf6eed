"""`onereply migrate` comes to an end, whether or not there is a database."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import bot.migrate
from bot.__main__ import cli
from coordination.patience import until_available
from storage.database import Unavailable

AWAY = "postgresql://bot:nobody-may-see-this@127.0.0.1:1/nothing"


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # no .env here
    monkeypatch.setattr(bot.migrate, "PATIENCE_SECONDS", 0.5)
    ended = CliRunner().invoke(cli, ["migrate"], env={"DATABASE_URL": AWAY})
    assert ended.exit_code == 2
    [line] = ended.stderr.splitlines()
    assert line.startswith("DATABASE_URL: not reached for 0.5 s (")
    assert line.endswith("is it running, is the host right? Then run `onereply migrate` again")
    assert "nobody-may-see-this" not in ended.output


async def test_it_waits_for_a_database_that_comes_back_in_time() -> None:
    away = [Unavailable("starting up"), Unavailable("starting up")]

    async def verb() -> str:
        if away:
            raise away.pop()
        return "done"

    assert await until_available(verb, patience=60) == "done"
