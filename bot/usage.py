"""`onereply usage`: the read models, for the operator."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import typer

from bot.on_database import on_database
from storage.database import Database
from storage.projections import Tally, tallies
from storage.tallying import BEYOND, REPLY_TIME_BOUNDS, TOTAL, USAGE_LABELS

COLUMN = 18
BARS = (*map(str, REPLY_TIME_BOUNDS), BEYOND)

Day = tuple[date, int]


async def show_usage(days: int, *, as_json: bool) -> int:
    """Print what was counted of the last days; 2 if it could not be read."""

    async def show(db: Database) -> int:
        found = await tallies(db, days=days)
        typer.echo(_as_json(found) if as_json else "\n".join(_as_tables(found)))
        return 0

    return await on_database(show)


def _as_json(found: Sequence[Tally]) -> str:
    return json.dumps(
        [
            {
                "day": each.day.isoformat(),
                "chat_id": each.chat_id,
                "kind": each.kind,
                "label": each.label,
                "amount": each.amount,
            }
            for each in found
        ]
    )


def _as_tables(found: Sequence[Tally]) -> Iterable[str]:
    if not found:
        yield "Nothing was counted in these days."
        return
    yield _line("day", "chat", *(label.replace("_", " ") for label in USAGE_LABELS))
    for (day, chat_id), amounts in _by_day(found, "usage").items():
        yield _line(day, chat_id, *(f"{amounts.get(label, 0):,}" for label in USAGE_LABELS))
    yield ""
    yield from _reply_times(_sums(found, "reply_time"))
    yield ""
    failures = _sums(found, "failure")
    yield "Failures by cause" if failures else "No failures."
    yield from _column(dict(sorted(failures.items())))


def _reply_times(sums: dict[str, int]) -> Iterable[str]:
    replies = sum(sums.get(bar, 0) for bar in BARS)
    if not replies:
        yield "No replies."
        return
    mean = sums.get(TOTAL, 0) / replies / 1000
    yield f"Seconds from the first message to the reply: {mean:.1f} on average of {replies:,}"
    bounds = {bar: "more" if bar == BEYOND else f"up to {bar}" for bar in BARS}
    yield from _column({bounds[bar]: sums[bar] for bar in BARS if sums.get(bar)})


def _column(amounts: Mapping[str, int]) -> Iterable[str]:
    width = max(map(len, amounts), default=0)
    return (f"    {label:<{width}}{amount:>12,}" for label, amount in amounts.items())


def _by_day(found: Iterable[Tally], kind: str) -> dict[Day, dict[str, int]]:
    days: dict[Day, dict[str, int]] = defaultdict(dict)
    for each in found:
        if each.kind == kind:
            days[each.day, each.chat_id][each.label] = each.amount
    return days


def _sums(found: Iterable[Tally], kind: str) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for each in found:
        if each.kind == kind:
            sums[each.label] += each.amount
    return sums


def _line(day: object, chat: object, *cells: str) -> str:
    return f"{day!s:<12}{chat!s:>14}" + "".join(f"{cell:>{COLUMN}}" for cell in cells)
