"""Gates: a process is held at an exact place, and the test knows that it is there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg

from bot.standins.news import HANG_SECONDS
from storage.database import driver_dsn


@dataclass
class Gate:
    """Something arrives and waits until it is let through."""

    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _opened: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def was_reached(self) -> bool:
        return self._arrived.is_set()

    async def pass_through(self) -> None:
        """For the one who is held."""
        self._arrived.set()
        await self._opened.wait()

    async def arrival(self) -> None:
        """For the test: return once somebody waits here."""
        async with asyncio.timeout(HANG_SECONDS):
            await self._arrived.wait()

    def open(self) -> None:
        """Let through whoever waits, and whoever comes later."""
        self._opened.set()


INSTALL = """
CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(NEW.chat_id::int, NEW.part);
    RETURN NEW;
END $$;
CREATE TRIGGER gate BEFORE UPDATE ON outbox FOR EACH ROW
WHEN (NEW.state = 'sending') EXECUTE FUNCTION wait_at_gate();
"""
REMOVE = "DROP TRIGGER gate ON outbox; DROP FUNCTION wait_at_gate()"
WAITING = """
SELECT pid FROM pg_locks
WHERE locktype = 'advisory' AND NOT granted AND classid::int = $1 AND objid::int = $2
"""


class OutboxGates:
    """Holds whoever is about to note that a part goes out: nothing was sent of it yet."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def close(self, chat_id: int, part: int) -> None:
        await self._connection.execute("SELECT pg_advisory_lock($1, $2)", chat_id, part)

    async def arrival(self, chat_id: int, part: int) -> int:
        """Return once somebody waits; the backend that waits for it."""
        async with asyncio.timeout(HANG_SECONDS):
            while (pid := await self._connection.fetchval(WAITING, chat_id, part)) is None:
                await asyncio.sleep(0.02)
        return int(pid)

    async def hang_up(self, chat_id: int, part: int) -> None:
        """Undo what a dead process left waiting, as PostgreSQL does when it notices."""
        # On a slow machine the statement may have run into its time limit, and been asked again.
        await self._connection.execute(
            f"SELECT pg_terminate_backend(pid, 5000) FROM ({WAITING}) waiting",  # noqa: S608
            chat_id,
            part,
        )
        await self._connection.execute("SELECT pg_advisory_unlock($1, $2)", chat_id, part)


@asynccontextmanager
async def outbox_gates(database_url: str) -> AsyncIterator[OutboxGates]:
    """Gates in this database, all open until one is closed."""
    connection = await asyncpg.connect(driver_dsn(database_url))
    try:
        await connection.execute(INSTALL)
        yield OutboxGates(connection)
        await connection.execute(REMOVE)
    finally:
        await connection.close()
