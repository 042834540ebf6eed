"""What the README names exists: commands, files, folders and tests."""

import re
from pathlib import Path

import typer.main

from bot.__main__ import cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FOLDER = re.compile(r"^    (\w+)/ ")
ENTRY = re.compile(r"^      ([\w.]+)(/?) ")
GUARANTEE = re.compile(r"^\| G(\d+) \| .+ \| (.+) \|$", re.MULTILINE)


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^ +(?:\$ )?)make ([a-z]+)", README, re.MULTILINE))
    assert {"run", "test", "demo", "check", "bench"} <= named <= targets


def test_every_command_exists() -> None:
    commands = set(typer.main.get_command(cli).commands)  # type: ignore[attr-defined]
    named = set(re.findall(r"(?:`|bin/)onereply ([a-z]+)", README))
    assert {"run", "local", "migrate", "doctor"} <= named <= commands


def test_every_file_of_the_listing_exists() -> None:
    folder, entries = Path(), []
    for line in README.partition("## The path of a message")[2].splitlines():
        if top := FOLDER.match(line):
            folder = Path(top[1])
            entries.append(folder)
        elif below := ENTRY.match(line):
            entries.append(folder / below[1])
    assert len(entries) > 15
    assert [str(entry) for entry in entries if not (ROOT / entry).exists()] == []


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    headings = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
    assert links
    for link in links:
        assert link in anchors if link.startswith("#") else (ROOT / link).exists(), link


def test_each_guarantee_is_shown_where_the_readme_says() -> None:
    shown = GUARANTEE.findall(README)
    assert [int(number) for number, _ in shown] == list(range(1, 12))
    for number, folders in shown:
        for folder in re.findall(r"`(tests/\w+)`", folders):
            assert any(_shows(int(number), name) for name in _tests_in(folder)), (number, folder)


def test_every_folder_of_tests_that_the_readme_names_exists() -> None:
    named = set(re.findall(r"`(tests/\w+)`", README))
    assert [folder for folder in named if not (ROOT / folder / "__init__.py").exists()] == []


def _tests_in(folder: str) -> list[str]:
    sources = [path.read_text() for path in (ROOT / folder).glob("test_*.py")]
    return re.findall(r"def (test_\w+)", "\n".join(sources))


def _shows(number: int, name: str) -> bool:
    if found := re.search(r"_g(\d+)_to_g(\d+)_", name):
        return int(found[1]) <= number <= int(found[2])
    return f"_g{number}_" in name
