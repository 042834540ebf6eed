"""TOOLS names modules; what is wrong with one is said in a line that begins so."""

import sys
from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, load
from bot.toolbox import toolbox
from tests.support.neighbours import KEY, TOKEN

A_TOOL = '''
from coordination.tools.tool import reading
@reading()
def look({parameters}) -> str:
    """Look."""
    return "seen"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where modules are found, and forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("one_tool", "same_tool"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def settings(tools: str) -> Settings:
    return load(
        Settings,
        _env_file=None,
        telegram_bot_token=TOKEN,
        openai_api_key=KEY,
        database_url="postgresql://bot@localhost/bot",
        tools=tools,
    )


def refusal(tools: str) -> str:
    with pytest.raises(SettingsError) as refused:
        toolbox(settings(tools))
    said = str(refused.value)
    assert said.startswith("TOOLS: ")
    assert "\n" not in said
    return said


def test_the_modules_that_come_with_the_bot() -> None:
    found = toolbox(settings(" bot.tools.contacts, bot.tools.reminders,"))
    names = [spec.name for spec in found.specs]
    assert names == ["save_contact", "remind_me", "list_reminders", "cancel_reminder"]
    assert [found.find(name) is not None for name in (*names, "fly")] == [True] * 4 + [False]
    assert toolbox(settings("")).specs == []


def test_a_module_of_ones_own(folder: Path) -> None:
    (folder / "one_tool.py").write_text(A_TOOL.format(parameters="day: str"))
    assert [spec.name for spec in toolbox(settings("one_tool,one_tool")).specs] == ["look"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit('no key')", "SystemExit: no key"),
        ("def", "SyntaxError"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
        ("x = 1", "one_tool declares no tools"),
        (A_TOOL.format(parameters="day"), "look: the parameter day has no type"),
    ],
)
def test_what_is_wrong_with_a_module_is_one_line(folder: Path, code: str, said: str) -> None:
    (folder / "one_tool.py").write_text(code)
    assert said in refusal("one_tool")


def test_two_tools_of_one_name(folder: Path) -> None:
    for name in ("one_tool", "same_tool"):
        (folder / f"{name}.py").write_text(A_TOOL.format(parameters="day: str"))
    assert "same_tool: there is another tool called look" in refusal("one_tool,same_tool")


def test_a_module_that_is_not_there() -> None:
    assert "cannot import no.such.module: ModuleNotFoundError" in refusal("no.such.module")
