"""Does the database keep the guarantees? All that its data can show, seen in one moment.

Only reads, takes no lock that anybody waits for, and is right about a system at work: what is
checked holds between any two statements of the protocol. G8 and G9 leave no trace in the tables;
G11 is the event log held against all others.
"""

from collections.abc import Mapping
from datetime import timedelta

from storage.audit import conversations, events, replies, runs
from storage.audit.check import Audit, Check, Finding, Look
from storage.audit.figures import FIGURES
from storage.database import Database, Fetch

LATE_AFTER = timedelta(seconds=60)
MOST_ROWS = 20

LOOKS = (*conversations.LOOKS, *runs.LOOKS, *replies.LOOKS, *events.LOOKS)

# A look goes over whole tables. Sorting one is cheaper than fetching its rows in the order of an
# index, which PostgreSQL would rather do, and which would drive the bot's pages out of its cache.
PLANNING = ("SET LOCAL work_mem = '64MB'", "SET LOCAL random_page_cost = 20")


async def audit(
    db: Database, *, late_after: timedelta = LATE_AFTER, most_rows: int = MOST_ROWS
) -> Audit:
    """Check every guarantee, and report of each the first `most_rows` that break it.

    Raises:
        Unavailable, Unusable: as for any statement.
    """
    async with db.reading() as fetch:
        return await look_around(fetch, late_after=late_after, most_rows=most_rows)


async def look_around(fetch: Fetch, *, late_after: timedelta, most_rows: int) -> Audit:
    """Audit what a transaction sees; its statements must all see the same."""
    arguments = {"late_after": late_after, "most_rows": most_rows}
    findings: list[Finding] = []
    for setting in PLANNING:
        await fetch(setting, {})
    for look in LOOKS:
        findings += await _findings(fetch, look, arguments)
    figures = {row.name: row.value for row in await fetch(FIGURES, {})}
    return Audit(tuple(sorted(findings, key=_place)), figures)


def _place(finding: Finding) -> int:
    return int(finding.check.guarantee.removeprefix("G"))


async def _findings(fetch: Fetch, look: Look, arguments: Mapping[str, object]) -> list[Finding]:
    counts = ", ".join(
        f"count(*) FILTER (WHERE {check.among}), count({check.wrong})" for check in look.checks
    )
    [counted] = await fetch(f"SELECT {counts} FROM ({look.sql}) looked", arguments)
    findings = []
    for place, check in enumerate(look.checks):
        checked, violations = counted[2 * place : 2 * place + 2]
        rows = await _wrong(fetch, look, check, arguments) if violations else ()
        findings.append(Finding(check, checked, violations, rows))
    return findings


async def _wrong(
    fetch: Fetch, look: Look, check: Check, arguments: Mapping[str, object]
) -> tuple[Mapping[str, object], ...]:
    rows = await fetch(
        f"SELECT * FROM ({look.sql}) looked WHERE {check.wrong} IS NOT NULL "
        "ORDER BY 1, 2, 3 LIMIT :most_rows",
        arguments,
    )
    return tuple(_as_told(look, check, row._asdict()) for row in rows)


def _as_told(look: Look, check: Check, row: Mapping[str, object]) -> Mapping[str, object]:
    verdicts = {each.wrong for each in look.checks}
    numbers = {name: value for name, value in row.items() if name not in verdicts}
    return {**numbers, "wrong": row[check.wrong]}
