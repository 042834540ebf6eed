"""`onereply effects`: what tools did that somebody should look at. Needs the database only."""

import json
import sys
from collections.abc import Mapping, Sequence

import typer

from bot.database import migrated_database
from bot.settings import SettingsError
from storage import undo

NOT_LOOKED = 2
COLUMNS = ("chat", "burst", "tool", "arguments", "state", "why", "attempts")
IN_WORDS = {
    "to_undo": "to be undone",
    "not_undone": "not undone",
    "processing": "interrupted",
}
NOBODY_KNOWS = "the process ended half-way, and no later run called it again"

Line = dict[str, object]


async def show_effects(*, as_json: bool) -> int:
    """Print them; 0 if there are none, 1 if there are, 2 if nobody looked."""
    try:
        async with migrated_database() as db:
            found = [_line(row) for row in await undo.open_effects(db)]
    except SettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return NOT_LOOKED
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        for row in _table(found):
            typer.echo(row)
    return 1 if found else 0


def _line(row: Mapping[str, object]) -> Line:
    thread = f"/{row['thread_id']}" if row["thread_id"] else ""
    state = str(row["state"])
    return {
        "chat": f"{row['chat_id']}{thread}",
        "burst": row["burst"],
        "tool": row["tool"],
        "arguments": row["arguments"],
        "state": IN_WORDS[state],
        "why": NOBODY_KNOWS if state == "processing" else row["undo_error"] or "",
        "attempts": row["undo_attempts"],
    }


def _table(found: Sequence[Line]) -> list[str]:
    if not found:
        return ["Nothing is left to be undone."]
    rows = [COLUMNS, *(tuple(map(_on_one_line, line.values())) for line in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _on_one_line(value: object) -> str:
    return " ".join(str(value).split())
