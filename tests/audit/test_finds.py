"""What breaks a guarantee is found, as that guarantee and no other, with its row."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.audit import LATE_AFTER, LOOKS, MOST_ROWS, audit, look_around
from storage.audit.check import Audit
from storage.database import Database
from storage.embedded import EmbeddedPostgres
from tests.support import plants, plants_in_events, plants_in_replies
from tests.support.one_of_each import one_of_each
from tests.support.plants import Plants
from tests.support.postgres import fresh_database
from tests.support.waiting import opened

pytestmark = pytest.mark.xdist_group("finds")

PLANTS: dict[str, Plants] = {
    "G1 messages are numbered up to the counter": plants.NUMBERED,
    "G1 no message is counted twice": plants.ONCE,
    "G1 finished ranges tile, and every run begins above them": plants.TILED,
    "G1 finished ranges end at the watermark": plants.REACHED,
    "G2 0 <= watermark <= counter": plants.BOUNDED,
    "G3 a lease has a run or a committed reply": plants.LEASED,
    "G3 runs bear drawn fences, a generating one the newest": plants.FENCED,
    "G4 windows close within their cap and go with their burst": plants.CAPPED,
    "G5 dropped and failed runs of a burst are counted": plants.COUNTED,
    "G6 what is unanswered has a window": plants.WAITING,
    "G6 committed replies are known to their conversations": plants.KNOWN,
    "G7 replies are in parts 1..n": plants_in_replies.WHOLE,
    "G7 parts go out in order, one at a time": plants_in_replies.ORDERED,
    "G7 parts are as far as their runs": plants_in_replies.FITTING,
    "G10 every run has ended as its state says": plants_in_replies.ENDED,
    "G11 events are numbered without a gap": plants_in_events.NUMBERED,
    "G11 replayed, they give counter and watermark": plants_in_events.COUNTING,
    "G11 replayed, they give the state of each run": plants_in_events.ENDING,
    "G11 runs take only steps that they may": plants_in_events.STEPPING,
}
WRITTEN_BY_PEOPLE = """
UPDATE messages SET text = 'zebra';
UPDATE runs SET reply = 'zebra' WHERE reply IS NOT NULL;
UPDATE runs SET reason = 'zebra' WHERE reason IS NOT NULL;
UPDATE outbox SET text = 'zebra'
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def settled(postgres: EmbeddedPostgres) -> AsyncIterator[Database]:
    """One of each, in which people wrote nothing but one word."""
    async with fresh_database(postgres) as dsn, opened(dsn) as db:
        await one_of_each(db)
        async with db.transaction() as connection:
            await change(connection, WRITTEN_BY_PEOPLE)
        yield db


async def change(connection: AsyncConnection, sql: str) -> None:
    for statement in sql.split(";"):
        await connection.execute(text(statement))


async def audited_after(db: Database, sql: str) -> Audit:
    """What an audit says after a change, which is then taken back."""
    async with db.transaction() as connection:

        async def fetch(sql: str, arguments: Mapping[str, object]) -> Sequence[Row[Any]]:
            result = await connection.execute(text(sql), arguments)
            return result.all() if result.returns_rows else []

        await change(connection, sql)
        found = await look_around(fetch, late_after=LATE_AFTER, most_rows=MOST_ROWS)
        await connection.rollback()
    return found


def test_every_check_has_plants() -> None:
    checks = {f"{check.guarantee} {check.promise}" for look in LOOKS for check in look.checks}
    assert checks - PLANTS.keys() == {"G6 what is due is taken"}


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("promise", "chat_id", "wrong", "sql"),
    [
        pytest.param(promise, *plant, id=f"{promise.split()[0]} {plant[1]} {number}")
        for promise, plants in PLANTS.items()
        for number, plant in enumerate(plants, start=1)
    ],
)
async def test_a_planted_fault_is_found(
    settled: Database, promise: str, chat_id: int, wrong: str, sql: str
) -> None:
    found = await audited_after(settled, sql)
    # What is planted elsewhere is not in the log either.
    [broken] = [
        each for each in found.broken if promise.startswith("G11") or each.check.guarantee != "G11"
    ]
    assert f"{broken.check.guarantee} {broken.check.promise}" == promise
    assert broken.violations == len(broken.rows) > 0
    row = broken.rows[0]
    assert (row["chat_id"], row["thread_id"], row["wrong"]) == (chat_id, 0, wrong)
    assert "zebra" not in {*row.values()} - {row.get("state")}


@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_is_found_where_nothing_is_wrong(settled: Database) -> None:
    found = await audit(settled)
    assert all(finding.is_clean for finding in found.findings)
    assert all(finding.checked for finding in found.findings)
    assert found.figures == {
        "conversations": 4,
        "messages": 7,
        "messages unanswered": 3,
        "leases held": 2,
        "leases expired": 0,
        "runs committed": 1,
        "runs failed": 1,
        "runs generating": 1,
        "runs sent": 1,
        "runs superseded": 1,
        "runs undeliverable": 1,
        "parts refused": 1,
        "parts sending": 1,
        "parts sent": 5,
        "parts begun more than once": 0,
        "updates set aside": 0,
    }
