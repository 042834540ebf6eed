"""What a line of the log leaves out."""

import json
import sys
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).parents[2]
# In a process of its own: logging is set up once for all.
SPEAK = """
import sys, structlog
from bot.logs import set_up_logging
from bot.settings import Settings, load
set_up_logging(load(
    Settings, _env_file=None, telegram_bot_token="1:a", openai_api_key="k",
    database_url="embedded", log_format=sys.argv[1],
))
structlog.contextvars.bind_contextvars(burst=None, run=7)
structlog.get_logger("here").warning("polling_failed", advice=None, failures=0, why="", ok=False)
"""


def spoken(log_format: str) -> str:
    command = [sys.executable, "-c", SPEAK, log_format]
    return run(command, cwd=ROOT, capture_output=True, check=True, text=True).stderr


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_what_is_none_is_not_said(log_format: str) -> None:
    line = spoken(log_format)
    assert "polling_failed" in line
    assert not any(word in line for word in ("advice", "burst", "None", "null"))


def test_other_values_are_said_however_little_they_are() -> None:
    said = json.loads(spoken("json"))
    assert {"run": 7, "failures": 0, "why": "", "ok": False}.items() <= said.items()
