"""`onereply audit`: does the database keep the guarantees? Needs it and nothing else."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import typer

from bot.on_database import FAILED, on_database
from storage.audit import audit
from storage.audit.check import Audit, Finding
from storage.database import Database


async def audit_database(late_after: float, most_rows: int) -> int:
    """Print a line for each guarantee; 0 if all hold, 1 if one is broken, 2 if nobody looked."""

    async def look(db: Database) -> int:
        found = await audit(db, late_after=timedelta(seconds=late_after), most_rows=most_rows)
        _show(found)
        return FAILED if found.broken else 0

    return await on_database(look)


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
