"""Tables in the code and tables made by the migrations: the same, whichever way one comes there."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from bot.standins.news import HANG_SECONDS
from storage import schema
from storage.database import Database
from storage.embedded import EmbeddedPostgres
from storage.tables import metadata
from tests.support.alembic import alembic
from tests.support.postgres import EMPTY, fresh_database
from tests.support.waiting import opened

# Alembic compares no check constraints, no computed columns and no index conditions.
CATALOG = """
SELECT c.relname AS name, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    a.attnotnull, a.attgenerated, a.attidentity, pg_get_expr(d.adbin, d.adrelid)) AS what
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
UNION ALL
SELECT conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
"""
VERSION_TABLE = "alembic_version"
"""Alembic's own; the models know nothing of it."""

DEFAULT_PARTITION = "events_other"
"""Made beside its parent, and no table of its own to the models."""

Catalog = set[tuple[str, str]]


@pytest_asyncio.fixture
async def empty_db(postgres: EmbeddedPostgres) -> AsyncIterator[Database]:
    async with fresh_database(postgres, EMPTY) as url, opened(url) as db:
        yield db


async def catalog_of(db: Database) -> Catalog:
    """Columns, constraints and indexes, each in PostgreSQL's own words."""
    rows = await db.fetch(CATALOG, {})
    return {(row.name, row.what) for row in rows if not row.name.startswith(VERSION_TABLE)}


def differences(connection: Connection) -> list[Any]:
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "include_name": lambda name, kind, _parents: kind != "table" or name != DEFAULT_PARTITION,
    }
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def test_head_is_the_newest_migration() -> None:
    scripts = ScriptDirectory(str(schema.MIGRATIONS))
    assert scripts.get_heads() == [schema.HEAD]


async def test_alembic_sees_no_difference_between_models_and_migrations(db: Database) -> None:
    async with db.transaction() as connection:
        assert await connection.run_sync(differences) == []


async def test_postgresql_sees_no_difference_between_models_and_migrations(
    db: Database, empty_db: Database
) -> None:
    async with empty_db.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    assert await catalog_of(empty_db) == await catalog_of(db)


async def test_an_empty_database_is_brought_to_head(empty_db: Database, db: Database) -> None:
    assert await schema.version(empty_db) is None
    await schema.upgrade(empty_db)
    assert await schema.version(empty_db) == schema.HEAD
    assert await catalog_of(empty_db) == await catalog_of(db)


async def test_migrations_are_found_wherever_they_are(
    empty_db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "100% %(ours)s"
    elsewhere.symlink_to(schema.MIGRATIONS)
    monkeypatch.setattr(schema, "MIGRATIONS", elsewhere)
    await schema.upgrade(empty_db)
    assert await schema.version(empty_db) == schema.HEAD


async def test_down_and_up_again(db: Database) -> None:
    before = await catalog_of(db)
    await alembic(db, lambda config: command.downgrade(config, "base"))
    assert await catalog_of(db) == set()
    await schema.upgrade(db)
    assert await catalog_of(db) == before


async def test_a_database_of_a_newer_program_is_left_alone(db: Database) -> None:
    before = await catalog_of(db)
    await db.fetch("UPDATE alembic_version SET version_num = '9999' RETURNING 1", {})
    with pytest.raises(schema.TooNew):
        await schema.upgrade(db)
    assert await schema.version(db) == "9999"
    assert await catalog_of(db) == before


async def test_head_is_recognised_without_alembic(db: Database) -> None:
    """And without a lock: a process that starts beside others does not wait for them."""
    async with db.transaction() as holding:
        await holding.exec_driver_sql(f"SELECT pg_advisory_xact_lock({schema.MIGRATION_LOCK})")
        async with asyncio.timeout(HANG_SECONDS):
            await schema.upgrade(db)
