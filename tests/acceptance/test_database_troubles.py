"""The database is there and refuses: each trouble passes, and then all is answered once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import asyncpg
import pytest

from storage import database
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import opened, rows_of, until_found, until_settled

PEOPLE = range(501, 506)
TROUBLE_SECONDS = 3
FAIL_ON = ("messages", "runs", "outbox")
ALL_RECEIVED = "SELECT 1 AS yes FROM messages HAVING count(*) = :count"

Trouble = Callable[[str], AbstractAsyncContextManager[None]]


async def run(dsn: str, *statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def triggers(kind: str, body: str) -> list[str]:
    """Statements that put a trigger with that body on every table that is written to."""
    return [
        f"CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {body} END$$",
        *(
            f"CREATE {kind} TRIGGER trouble AFTER INSERT OR UPDATE ON {table} "
            f"{'DEFERRABLE INITIALLY DEFERRED' if kind else ''} "
            "FOR EACH ROW EXECUTE FUNCTION trouble()"
            for table in FAIL_ON
        ),
    ]


# One after the other: all at once could end in a deadlock with the bot.
NO_TRIGGERS = [f"DROP TRIGGER trouble ON {table}" for table in FAIL_ON]


@asynccontextmanager
async def disk_full(dsn: str) -> AsyncIterator[None]:
    """Every write fails as on a full disk."""
    await run(dsn, *triggers("", "RAISE 'no space left' USING ERRCODE = 'disk_full';"))
    yield
    await run(dsn, *NO_TRIGGERS)


@asynccontextmanager
async def slow_commit(dsn: str) -> AsyncIterator[None]:
    """Every transaction that writes takes its time at the very end."""
    body = "PERFORM pg_sleep(0.3); RETURN NULL;"
    await run(dsn, *triggers("CONSTRAINT", body))
    yield
    await run(dsn, *NO_TRIGGERS)


@asynccontextmanager
async def read_only(dsn: str) -> AsyncIterator[None]:
    """Nobody may write, as on a standby."""
    [row] = await rows_of(dsn, "SELECT current_database() AS name")
    await run(
        dsn,
        f"ALTER DATABASE {row.name} SET default_transaction_read_only = on",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    yield
    await run(
        dsn,
        "SET default_transaction_read_only = off",
        f"ALTER DATABASE {row.name} RESET default_transaction_read_only",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


@asynccontextmanager
async def locked(dsn: str) -> AsyncIterator[None]:
    """Every statement waits until the pool has no connection left."""
    connection = await asyncpg.connect(dsn)
    async with connection.transaction():
        await connection.execute("LOCK TABLE conversations IN ACCESS EXCLUSIVE MODE")
        yield
    await connection.close()


@pytest.mark.parametrize("trouble", [disk_full, slow_commit, read_only, locked])
async def test_g6_nothing_is_lost_or_doubled(
    around: Neighbours, monkeypatch: pytest.MonkeyPatch, trouble: Trouble
) -> None:
    defaults = database.Database.__init__.__kwdefaults__
    assert defaults
    monkeypatch.setitem(defaults, "statement_seconds", 2)
    monkeypatch.setattr(database, "STATEMENT_SECONDS", 1)
    monkeypatch.setattr(database, "POOL_SIZE", 2)
    async with running_bot(around.settings()):
        for person in PEOPLE:
            around.telegram.say(person, "before")
        await around.model.wait_for_calls(1)
        async with trouble(around.database_url):
            for person in PEOPLE:
                around.telegram.say(person, "meanwhile")
            await asyncio.sleep(TROUBLE_SECONDS)
        for person in PEOPLE:
            around.telegram.say(person, "after")
        await until_found(around.database_url, ALL_RECEIVED, {"count": 3 * len(PEOPLE)})
        await until_settled(around.database_url)
    for person in PEOPLE:
        seen = " ".join(sent.text for sent in around.seen_by(person))
        assert [seen.count(word) for word in ("before", "meanwhile", "after")] == [1, 1, 1]


async def test_a_pool_without_a_connection_left_is_a_passing_trouble(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "STATEMENT_SECONDS", 0.5)
    monkeypatch.setattr(database, "POOL_SIZE", 1)
    async with opened(database_url) as db, db.transaction():
        with pytest.raises(database.Unavailable):
            await db.fetch("SELECT 1 AS one", {})
