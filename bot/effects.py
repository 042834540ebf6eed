"""`onereply effects`: what tools did that somebody should see to. Needs the database only."""

import json
from collections.abc import Mapping, Sequence

import typer

from bot.on_database import FAILED, on_database
from storage import undo
from storage.database import Database

COLUMNS = ("chat", "burst", "tool", "arguments", "state", "why", "attempts", "key")
IN_WORDS = {
    "to_undo": "to be undone",
    "not_undone": "not undone",
    "processing": "interrupted",
    "unknown": "unknown",
}
NOBODY_KNOWS = {
    "processing": "the process ended half-way, and no later run called it again",
    "unknown": "it took too long or was interrupted, and may have happened",
}

Line = dict[str, object]


async def show_effects(*, as_json: bool) -> int:
    """Print them; 0 if there are none, 1 if there are, 2 if nobody looked."""

    async def show(db: Database) -> int:
        found = [_line(row) for row in await undo.open_effects(db)]
        if as_json:
            typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        else:
            typer.echo("\n".join(_table(found)))
        return FAILED if found else 0

    return await on_database(show)


async def close_effect(key: str) -> int:
    """Take one that was seen to off the list; 1 if it is not on it, 2 if nobody looked."""

    async def close_one(db: Database) -> int:
        if await undo.close_effect(db, key):
            return 0
        typer.echo(f"No effect of the key {key} can be closed: see onereply effects", err=True)
        return FAILED

    return await on_database(close_one)


def _line(row: Mapping[str, object]) -> Line:
    thread = f"/{row['thread_id']}" if row["thread_id"] else ""
    state = str(row["state"])
    return {
        "chat": f"{row['chat_id']}{thread}",
        "burst": row["burst"],
        "tool": row["tool"],
        "arguments": json.loads(str(row["arguments"])),
        "state": IN_WORDS[state],
        "why": NOBODY_KNOWS.get(state) or row["undo_error"] or "",
        "attempts": row["undo_attempts"],
        "key": row["key"],
    }


def _table(found: Sequence[Line]) -> list[str]:
    if not found:
        return ["Nothing is left to be seen to."]
    rows = [COLUMNS, *(tuple(map(_on_one_line, line.values())) for line in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _on_one_line(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return " ".join(text.split())
