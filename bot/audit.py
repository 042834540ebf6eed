"""`onereply audit`: does the database keep the guarantees? Needs it and nothing else."""

import sys
from collections.abc import Mapping
from datetime import datetime, timedelta

import typer

from bot.database import migrated_database
from bot.settings import SettingsError
from storage.audit import audit
from storage.audit.check import Audit, Finding

NOT_LOOKED = 2


async def audit_database(late_after: float, most_rows: int) -> int:
    """Print a line for each guarantee; 0 if all hold, 1 if one is broken, 2 if nobody looked."""
    try:
        # A statement may go over every row of a large table.
        async with migrated_database(statement_seconds=None) as db:
            found = await audit(db, late_after=timedelta(seconds=late_after), most_rows=most_rows)
    except SettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return NOT_LOOKED
    _show(found)
    return 1 if found.broken else 0


def _show(found: Audit) -> None:
    for finding in found.findings:
        typer.echo(_line(finding))
        for row in finding.rows:
            typer.echo(f"       {_in_words(row)}")
        if unsaid := finding.violations - len(finding.rows):
            typer.echo(f"       and {unsaid:,} more")
    for name, value in found.figures.items():
        typer.echo(f"     {name}: {value:,}")


def _line(finding: Finding) -> str:
    check = finding.check
    how_many = f"{finding.checked:,} {check.things}"
    if finding.is_clean:
        return f"ok   {check.guarantee} {check.promise}: {how_many}"
    verdict = "FAIL" if finding.is_broken else "late"
    return f"{verdict} {check.guarantee} {check.promise}: {finding.violations:,} of {how_many}"


def _in_words(row: Mapping[str, object]) -> str:
    *numbers, (_, wrong) = row.items()
    known = (f"{name} {_plain(value)}" for name, value in numbers if value is not None)
    return f"{', '.join(known)}: {wrong}"


def _plain(value: object) -> str:
    return value.isoformat(timespec="milliseconds") if isinstance(value, datetime) else str(value)
