"""Tools whose effects are lines in a file, where no dying process can take them back.

The file is named by OUTSIDE_FILE in the environment of the bot.
"""

import os
from pathlib import Path

from coordination.tools.tool import Call, acting


def effects_in(file: Path) -> list[str]:
    """The keys of the effects so far, each as often as it happened."""
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def _file() -> Path:
    return Path(os.environ["OUTSIDE_FILE"])


def _act(call: Call) -> None:
    with _file().open("a", encoding="utf-8") as outside:
        outside.write(f"{call.key}\n")


def _found(call: Call) -> str | None:
    return "found done" if call.key in effects_in(_file()) else None


@acting(on_crash="repeat")
def repeat_it(call: Call) -> str:
    """Act; the other side knows a key again."""
    _act(call)
    return "repeated"


@acting(on_crash="verify", verify=_found)
def verify_it(call: Call) -> str:
    """Act; the other side can be asked."""
    _act(call)
    return "acted"


@acting(on_crash="give_up")
def give_it_up(call: Call) -> str:
    """Act; nobody can tell."""
    _act(call)
    return "acted"
