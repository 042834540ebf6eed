"""Weekly partitions of the event log, made ahead of time, so that old weeks can be dropped whole.

None of this is needed for an event to be kept: what no week takes, the default partition does.
"""

from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, Unavailable
from storage.fragments import CLOCK

WEEKS_AHEAD = 4

# Whoever waits for a lock makes others wait behind it: rather not now than long.
SHORTLY = ("SET LOCAL lock_timeout = '200ms'", "SET LOCAL statement_timeout = '2s'")

PARTITION_LOCK = 0x6F6E66
ONE_AT_A_TIME = text("SELECT pg_try_advisory_xact_lock(:lock)")
EXISTS = text("SELECT to_regclass(:name) IS NOT NULL")

# A week of which the default partition has rows already stays with it.
MISSING = f"""
WITH {CLOCK},
weeks AS (
    SELECT date_trunc('week', clock.now AT TIME ZONE 'UTC') + place * interval '7 days' AS monday
    FROM clock, generate_series(0, CAST(:ahead AS integer)) AS place
),
named AS (
    SELECT 'events_' || to_char(monday, 'IYYY"w"IW') AS name,
        monday AT TIME ZONE 'UTC' AS begins, (monday + interval '7 days') AT TIME ZONE 'UTC' AS ends
    FROM weeks
)
SELECT name, begins, ends FROM named
WHERE to_regclass(name) IS NULL AND NOT EXISTS (
    SELECT FROM events_other o WHERE o.recorded_at >= begins AND o.recorded_at < ends
)
ORDER BY begins
"""

PAST = f"""
WITH {CLOCK}
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, clock
WHERE i.inhparent = CAST('events' AS regclass) AND c.relname ~ '^events_[0-9]+w[0-9]+$'
  AND (to_date(substr(c.relname, 8), 'IYYY"w"IW') + 7) AT TIME ZONE 'UTC'
      <= clock.now - CAST(:older_than AS interval)
ORDER BY name
"""


async def make_partitions(
    db: Database, *, ahead: int = WEEKS_AHEAD, now: datetime | None = None
) -> list[str]:
    """Make what is missing of this week and the next ones; the names of those made.

    Raises:
        Unavailable, Unusable: as for any statement.
    """
    weeks = await db.fetch(MISSING, {"ahead": ahead, "now": now})
    return [week.name for week in weeks if await _make(db, week.name, week.begins, week.ends)]


async def drop_partitions(
    db: Database, *, older_than: timedelta, now: datetime | None = None
) -> list[str]:
    """Drop the weeks that are wholly so old and hold nothing; the names of those dropped.

    Raises:
        Unavailable, Unusable: as for any statement.
    """
    weeks = await db.fetch(PAST, {"older_than": older_than, "now": now})
    return [week.name for week in weeks if await _drop(db, week.name)]


async def _make(db: Database, name: str, begins: datetime, ends: datetime) -> bool:
    # Attached, since CREATE TABLE ... PARTITION OF would lock out everybody who writes an event.
    week = f"FROM ('{begins.isoformat()}') TO ('{ends.isoformat()}')"
    statements = (
        f"CREATE TABLE IF NOT EXISTS {name} (LIKE events INCLUDING ALL)",
        f"CREATE UNIQUE INDEX IF NOT EXISTS {name}_once ON {name} (chat_id, thread_id, version)",
        f"ALTER TABLE events ATTACH PARTITION {name} FOR VALUES {week}",
    )
    try:
        async with db.transaction() as connection:
            if not await _is_ours(connection) or await connection.scalar(EXISTS, {"name": name}):
                return False
            await _execute(connection, *statements)
    except (Unavailable, DBAPIError):
        # Busy, an event of that week came in between, or no right to: next time, or never.
        return False
    return True


async def _drop(db: Database, name: str) -> bool:
    has_rows = text(f"SELECT EXISTS (SELECT FROM {name})")
    try:
        async with db.transaction() as connection:
            if not await _is_ours(connection) or await connection.scalar(has_rows):
                return False
            # In the order in which everybody locks them: the parent first.
            await _execute(connection, "LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE")
            if await connection.scalar(has_rows):
                return False
            await _execute(connection, f"DROP TABLE {name}")
    except (Unavailable, DBAPIError):
        return False
    return True


async def _is_ours(connection: AsyncConnection) -> bool:
    await _execute(connection, *SHORTLY)
    return bool(await connection.scalar(ONE_AT_A_TIME, {"lock": PARTITION_LOCK}))


async def _execute(connection: AsyncConnection, *statements: str) -> None:
    for statement in statements:
        await connection.execute(text(statement))
