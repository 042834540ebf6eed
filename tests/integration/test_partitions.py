"""Weekly partitions: made ahead, dropped behind, and never in anybody's way."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.database import prepare_database
from storage.database import Database
from storage.embedded import EmbeddedPostgres
from storage.partitions import drop_partitions, make_partitions
from tests.support.acts import NOON
from tests.support.past import Past
from tests.support.postgres import EMPTY, fresh_database
from tests.support.queues import held
from tests.support.waiting import opened, rows_of

PLACES = "SELECT CAST(tableoid AS regclass)::text AS place, version FROM events ORDER BY version"
PARTITIONS = """
SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds,
    (SELECT count(*) FROM pg_index WHERE indrelid = c.oid AND indisunique) AS indexes
FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
WHERE inhparent = 'events'::regclass ORDER BY name
"""
WEEK = timedelta(weeks=1)
NEW_YEAR = datetime(2027, 1, 1, 12, tzinfo=UTC)
NAMES = ["events_2026w53", "events_2027w01", "events_2027w02"]


async def places(db: Database) -> list[str]:
    return [row.place for row in await db.fetch(PLACES, {})]


async def names(db: Database) -> list[str]:
    return [row.name for row in await db.fetch(PARTITIONS, {})]


async def test_this_week_and_the_next_ones_are_made_once(db: Database) -> None:
    assert await make_partitions(db, ahead=2, now=NEW_YEAR) == NAMES
    assert await make_partitions(db, ahead=2, now=NEW_YEAR) == []
    *weeks, _ = await db.fetch(PARTITIONS, {})
    assert [row.indexes for row in weeks] == [1, 1, 1]
    assert "FROM ('2026-12-28 00:00:00+00') TO ('2027-01-04 00:00:00+00')" in weeks[0].bounds


async def test_the_clock_of_the_database_says_which_week_it_is(db: Database) -> None:
    made = await make_partitions(db)
    assert len(made) == 5
    await Past(db, start=datetime.now(UTC)).say(1, at=0)
    assert await places(db) == [made[0]]


async def test_what_no_week_takes_goes_to_the_default(db: Database) -> None:
    await make_partitions(db, ahead=0)
    await Past(db).say(1, at=0)
    assert await places(db) == ["events_other"]


async def test_a_week_that_the_default_has_begun_stays_with_it(db: Database) -> None:
    past = Past(db, start=NEW_YEAR)
    await past.say(1, at=0)
    assert await make_partitions(db, ahead=2, now=NEW_YEAR) == NAMES[1:]
    await past.say(2, at=1)
    await past.say(3, at=WEEK.total_seconds())
    assert await places(db) == ["events_other", "events_other", "events_2027w01"]


async def test_many_at_once_make_each_week_once(db: Database, database_url: str) -> None:
    async with opened(database_url) as other:
        made = await asyncio.gather(
            *(make_partitions(each, ahead=2, now=NEW_YEAR) for each in (db, other, db, other))
        )
    rest = await make_partitions(db, ahead=2, now=NEW_YEAR)
    assert sorted([name for names_ in made for name in names_] + rest) == NAMES


@pytest.mark.parametrize(
    "busy", ["LOCK TABLE events_other IN ROW EXCLUSIVE MODE", "SELECT count(*) FROM events"]
)
async def test_whoever_is_busy_is_left_alone(db: Database, database_url: str, busy: str) -> None:
    async with held(database_url, busy):
        assert await make_partitions(db, ahead=1, now=NEW_YEAR) == []
        await Past(db).say(1, at=0)
    assert await make_partitions(db, ahead=1, now=NEW_YEAR) == NAMES[:2]


async def test_a_long_look_at_the_log_keeps_a_week_from_being_dropped(
    db: Database, database_url: str
) -> None:
    await make_partitions(db, ahead=0, now=NEW_YEAR)
    async with held(database_url, "SELECT count(*) FROM events"):
        assert await drop_partitions(db, older_than=WEEK, now=NOON) == []
        await Past(db).say(1, at=0)
    assert await drop_partitions(db, older_than=WEEK, now=NOON) == NAMES[:1]


async def test_only_empty_weeks_that_are_wholly_old_are_dropped(db: Database) -> None:
    await make_partitions(db, ahead=2, now=NEW_YEAR)
    await Past(db, start=NEW_YEAR).say(1, at=0)
    third_monday = datetime(2027, 1, 11, tzinfo=UTC)
    assert await drop_partitions(db, older_than=WEEK, now=third_monday + WEEK) == [NAMES[1]]
    assert await names(db) == [NAMES[0], NAMES[2], "events_other"]
    assert await places(db) == [NAMES[0]]


async def test_a_process_makes_them_at_its_start(postgres: EmbeddedPostgres) -> None:
    async with fresh_database(postgres, EMPTY) as dsn:
        async with opened(dsn) as db:
            await prepare_database(db)
        assert len(await rows_of(dsn, PARTITIONS)) == 6
