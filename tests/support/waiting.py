"""Waiting for what the database says: a condition, with a guard against a hang."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Row

from bot.standins.news import HANG_SECONDS
from storage.database import Database
from tests.support.facts import assert_guarantees

UNANSWERED = "SELECT chat_id FROM conversations WHERE inbound_seq > answered_seq"


@asynccontextmanager
async def opened(database_url: str) -> AsyncIterator[Database]:
    """The database, closed again."""
    db = Database(database_url)
    try:
        yield db
    finally:
        await db.close()


async def rows_of(
    database_url: str, sql: str, arguments: Mapping[str, object] | None = None
) -> Sequence[Row[Any]]:
    """What a query finds now."""
    async with opened(database_url) as db:
        return await db.fetch(sql, arguments or {})


async def until_found(
    database_url: str, sql: str, arguments: Mapping[str, object] | None = None
) -> Sequence[Row[Any]]:
    """What a query finds, as soon as it finds anything."""
    async with opened(database_url) as db, asyncio.timeout(HANG_SECONDS):
        while not (rows := await db.fetch(sql, arguments or {})):
            await asyncio.sleep(0.02)
        return rows


async def until_settled(database_url: str) -> None:
    """Return once everything is answered; the guarantees must hold then."""
    async with opened(database_url) as db, asyncio.timeout(HANG_SECONDS):
        while await db.fetch(UNANSWERED, {}):
            await asyncio.sleep(0.02)
        await assert_guarantees(db)
