"""What `onereply doctor` warns of without failing, and what it finds in the way of a port."""

import socket
from collections.abc import Iterator
from errno import EACCES
from pathlib import Path

import pytest

from bot.doctor import examine
from bot.http_port import why_not_listen
from bot.misspelt import misspelt
from bot.settings import Settings
from tests.support.neighbours import Neighbours

SECRET = "nobody-may-see-this"


@pytest.fixture(autouse=True)
def _empty_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("0.0.0.0", 0)) as listening:  # noqa: S104
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("line", "warnings"),
    [
        ("OPENAI_MODLE=x", ["OPENAI_MODLE in .env is not a setting: is it OPENAI_MODEL?"]),
        ("http_prot=1", ["HTTP_PROT in .env is not a setting: is it HTTP_PORT?"]),
        ("export WEATHER=sunny", ["WEATHER in .env is not a setting"]),
        ("openai_model=x", []),
        ("OPENAI_MODLE", []),
        (f"{SECRET}==", []),
        ("bm9ib2R5bWF5c2VldGhpcw==", []),
        ("bm9ib2R5bWF5c2VldGhpc28=", []),
        ("#OPENAI_MODLE=x", []),
        ("OPENAI_MODEL='\xff", []),
    ],
)
def test_names_that_are_not_settings(line: str, warnings: list[str]) -> None:
    Path(".env").write_text(f"{line}\n", encoding="latin-1")
    assert list(misspelt()) == warnings


def test_the_environment_of_others_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODLE", "x")
    assert list(misspelt()) == []


async def test_a_slip_explains_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    write_settings(f"OPENAI_API_KEY=x\nDATABASE_URL=embedded\nTELEGRAM_TOKEN={SECRET}\n")
    assert await examine() == 2
    missing, slip = capsys.readouterr().out.splitlines()
    assert missing.startswith("FAIL settings: TELEGRAM_BOT_TOKEN is not set")
    assert slip == (
        "warn settings: TELEGRAM_TOKEN in .env is not a setting: is it TELEGRAM_BOT_TOKEN?"
    )


def write_settings(lines: str) -> None:
    Path(".env").write_text(lines, encoding="utf-8")


async def examined(
    around: Neighbours, capsys: pytest.CaptureFixture[str], **changed: str
) -> tuple[int, list[str]]:
    settings = {**around.environment(), **changed}
    write_settings("".join(f"{name}='{each}'\n" for name, each in settings.items()))
    code = await examine()
    return code, capsys.readouterr().out.splitlines()


async def test_warnings_fail_nothing(
    around: Neighbours, taken_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = await examined(
        around, capsys, HTTP_PORT=str(taken_port), OPENAI_MODLE="x", LOG_LEVEL="info"
    )
    assert code == 0
    assert lines[:3] == [
        "ok   settings: complete",
        "warn settings: OPENAI_MODLE in .env is not a setting: is it OPENAI_MODEL?",
        (
            f"warn http: cannot listen on {taken_port} (Address already in use): "
            "unless this bot has it, choose another HTTP_PORT, or 0 for none"
        ),
    ]
    assert [line[:4] for line in lines[3:]] == ["ok  "] * 3


async def test_a_port_that_is_free_or_not_asked_for(
    around: Neighbours, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        free = listening.getsockname()[1]
    _, lines = await examined(around, capsys, HTTP_PORT=str(free))
    assert lines[1] == f"ok   http: port {free} is free"
    _, lines = await examined(around, capsys, HTTP_PORT="0")
    assert lines[1] == "ok   http: no port is asked for"


async def test_the_default_port_may_be_taken(
    around: Neighbours,
    taken_port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("bot.doctor.why_not_listen", lambda _port: why_not_listen(taken_port))
    code, lines = await examined(around, capsys, HTTP_PORT="")
    assert code == 0
    assert lines[1] == (
        "ok   http: cannot listen on 8080 (Address already in use), and will take another port"
    )


async def test_a_port_that_is_not_ours_to_have(
    around: Neighbours, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.doctor.why_not_listen", lambda _port: EACCES)
    code, lines = await examined(around, capsys, HTTP_PORT="80")
    assert code == 1
    assert lines[1] == (
        "FAIL http: cannot listen on 80 (Permission denied): "
        "choose another HTTP_PORT, or 0 for none"
    )
