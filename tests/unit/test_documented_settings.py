"""`.env.example` and the README list the settings of the code, with its defaults."""

import re
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.settings import Settings, SettingsError, load

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / ".env.example").read_text()
README = (ROOT / "README.md").read_text()
TABLE_ROW = re.compile(r"^\| `([A-Z_]+)` \| (.*?) \| .+ \|$", re.MULTILINE)
REQUIRED = "required"


def defaults() -> dict[str, str]:
    """Name and default of each setting, as text."""
    return {
        name.upper(): REQUIRED if field.is_required() else as_text(field.default)
        for name, field in Settings.model_fields.items()
    }


def as_text(default: object) -> str:
    if default is None or default in ((), {}):
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


def test_the_example_shows_each_setting_with_its_default() -> None:
    everything = re.sub(r"^#([A-Z_]+=)", r"\1", EXAMPLE, flags=re.MULTILINE)
    shown = dotenv_values(stream=StringIO(everything))
    expected = {name: "" if each == REQUIRED else each for name, each in defaults().items()}
    assert shown == expected


def test_only_what_is_required_is_left_to_fill_in() -> None:
    names = [name for name, default in defaults().items() if default == REQUIRED]
    assert dotenv_values(stream=StringIO(EXAMPLE)) == dict.fromkeys(names, "")


def test_each_setting_of_the_example_is_explained() -> None:
    for before, line in pairwise(EXAMPLE.splitlines()):
        if re.match(r"#?[A-Z_]+=", line):
            assert re.match(r"# [a-zA-Z./]", before), f"{line} has no line of explanation"


def test_a_copy_of_the_example_lacks_only_what_is_required(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    (tmp_path / ".env").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError) as wrong:
        load(Settings)
    names = [line.split()[0] for line in str(wrong.value).splitlines()]
    assert names == [name for name, default in defaults().items() if default == REQUIRED]


def test_the_readme_lists_each_setting_with_its_default() -> None:
    shown = {name: default.strip("`") for name, default in TABLE_ROW.findall(README)}
    assert shown == {name: each or "-" for name, each in defaults().items()}
