"""Every row of the protocol's tables, to compare before with after."""

import json
from datetime import datetime
from typing import Any

import asyncpg

TABLES = ("conversations", "messages", "windows", "runs", "outbox", "events")

Rows = dict[str, list[dict[str, Any]]]

ALL_ROWS = " UNION ALL ".join(
    f"SELECT '{table}' AS name, CAST(to_jsonb(t) AS text) AS row FROM {table} t"  # noqa: S608
    for table in TABLES
)
EMPTY = f"TRUNCATE {', '.join(TABLES)}, commands_done CASCADE"


async def all_rows(connection: asyncpg.Connection) -> Rows:
    """The tables as dictionaries by column, in an order of their own; instants as datetimes."""
    found: Rows = {table: [] for table in TABLES}
    for table, row in await connection.fetch(ALL_ROWS):
        found[table].append(json.loads(row, object_hook=_with_instants))
    return in_order(found)


def in_order(rows: Rows) -> Rows:
    """The same rows, ordered so that equal tables compare equal."""
    return {table: sorted(rows[table], key=_place) for table in TABLES}


def _place(row: dict[str, Any]) -> tuple[int, ...]:
    numbers = ("chat_id", "thread_id", "seq", "number", "run", "part", "version")
    return tuple(row.get(name) or 0 for name in numbers)


def _with_instants(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _instant(value) if _is_instant(name) else value for name, value in row.items()}


def _is_instant(column: str) -> bool:
    return column.endswith("_at") or column == "deliver_after"


def _instant(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)
