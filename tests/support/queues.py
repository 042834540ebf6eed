"""Verbs queue behind a lock in a known order; then the lock is let go."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

import asyncpg

from bot.standins.news import HANG_SECONDS
from storage.database import driver_dsn
from storage.records import ConversationKey
from tests.support.acts import ADA

T = TypeVar("T")
U = TypeVar("U")

CONVERSATION = "SELECT FROM conversations WHERE chat_id = $1 AND thread_id = $2 FOR UPDATE"
POLLER = "SELECT FROM pollers WHERE bot_id = $1 FOR UPDATE"
WAITING = """
SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND datname = current_database()
"""


class Queue:
    """Who waits for the lock, first come first served."""

    def __init__(self, watching: asyncpg.Connection) -> None:
        self._watching = watching
        self._tasks: list[asyncio.Task[object]] = []

    async def joined_by(self, verb: Coroutine[object, object, T]) -> asyncio.Task[T]:
        """Start the verb; return once PostgreSQL has it wait."""
        task = asyncio.create_task(verb)
        self._tasks.append(task)
        async with asyncio.timeout(HANG_SECONDS):
            while await self._watching.fetchval(WAITING) < len(self._tasks):
                assert not task.done(), f"it did not wait: {task.result()}"
                await asyncio.sleep(0.002)
        return task

    async def served(self) -> None:
        async with asyncio.timeout(HANG_SECONDS):
            await asyncio.wait(self._tasks)


@asynccontextmanager
async def queue_behind(dsn: str, lock: str, *arguments: object) -> AsyncIterator[Queue]:
    """Hold a lock while the block queues verbs behind it; afterwards all of them are done."""
    holding = await asyncpg.connect(driver_dsn(dsn))
    watching = await asyncpg.connect(driver_dsn(dsn))
    try:
        queue = Queue(watching)
        transaction = holding.transaction()
        await transaction.start()
        await holding.execute(lock, *arguments)
        yield queue
        await transaction.rollback()
        await queue.served()
    finally:
        await holding.close()
        await watching.close()


@asynccontextmanager
async def queue_for(dsn: str, key: ConversationKey) -> AsyncIterator[Queue]:
    """Hold the row of a conversation."""
    async with queue_behind(dsn, CONVERSATION, *key) as queue:
        yield queue


async def in_turn(
    dsn: str, first: Coroutine[object, object, T], second: Coroutine[object, object, U]
) -> tuple[T, U]:
    """What comes of two verbs that wait for Ada's conversation, one behind the other."""
    async with queue_for(dsn, ADA) as queue:
        one = await queue.joined_by(first)
        other = await queue.joined_by(second)
    return await one, await other


@asynccontextmanager
async def held(dsn: str, lock: str, *arguments: object) -> AsyncIterator[None]:
    """Hold a lock that nobody is to wait for."""
    holding = await asyncpg.connect(driver_dsn(dsn))
    try:
        async with holding.transaction():
            await holding.execute(lock, *arguments)
            yield
    finally:
        await holding.close()
