"""`onereply audit`: does the database keep the guarantees? Needs it and nothing else."""

import sys
from collections.abc import Mapping
from datetime import datetime, timedelta

import typer

from bot.database import reachable_database
from bot.settings import DatabaseSettings, SettingsError, load
from storage import schema
from storage.audit import audit
from storage.audit.check import Audit, Finding
from storage.database import Database, Unavailable, Unusable

NOT_LOOKED = 2


async def audit_database(late_after: float, most_rows: int) -> int:
    """Print a line for each guarantee; 0 if all hold, 1 if one is broken, 2 if nobody looked."""
    try:
        async with reachable_database(load(DatabaseSettings)) as url:
            # A statement may go over every row of a large table.
            db = Database(url.get_secret_value(), statement_seconds=None)
            try:
                found = await _look(db, timedelta(seconds=late_after), most_rows)
            finally:
                await db.close()
    except SettingsError as error:
        return _give_up(str(error))
    except Unusable as error:
        return _give_up(f"DATABASE_URL: {error}")
    except Unavailable as error:
        return _give_up(f"DATABASE_URL: not reached ({error})")
    _show(found)
    return 1 if found.broken else 0


async def _look(db: Database, late_after: timedelta, most_rows: int) -> Audit:
    version = await schema.version(db)
    if version != schema.HEAD:
        advice = "run `onereply migrate`" if version is None else "is another version running?"
        raise SettingsError(f"DATABASE_URL: schema is {version}, not {schema.HEAD}: {advice}")
    return await audit(db, late_after=late_after, most_rows=most_rows)


def _give_up(why: str) -> int:
    print(why, file=sys.stderr)  # noqa: T201
    return NOT_LOOKED


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
