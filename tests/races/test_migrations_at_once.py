"""Several processes start on an empty database at the same moment."""

from collections.abc import AsyncIterator

import pytest_asyncio

from storage import schema
from storage.embedded import EmbeddedPostgres
from tests.support.postgres import EMPTY, fresh_database
from tests.support.queues import queue_behind
from tests.support.waiting import opened

LOCK = "SELECT pg_advisory_xact_lock($1)"


@pytest_asyncio.fixture
async def empty_url(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    async with fresh_database(postgres, EMPTY) as url:
        yield url


async def test_all_of_them_find_the_schema_at_head(empty_url: str) -> None:
    async with opened(empty_url) as ada, opened(empty_url) as bob, opened(empty_url) as cyd:
        async with queue_behind(empty_url, LOCK, schema.MIGRATION_LOCK) as queue:
            upgrades = [await queue.joined_by(schema.upgrade(db)) for db in (ada, bob, cyd)]
        for upgrade in upgrades:
            await upgrade
        assert await schema.version(cyd) == schema.HEAD
