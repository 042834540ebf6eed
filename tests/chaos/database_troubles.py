"""A database of the bots' own, and the ways in which it fails."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import assert_never

import asyncpg

from storage.embedded import EmbeddedPostgres
from tests.chaos.happenings import DatabaseTrouble
from tests.support.postgres import private_server

ROLE = "bots"
FEW = 4
"""Connections for all processes together; each would like up to ten."""

MAKE_ROLE = f"CREATE ROLE {ROLE} LOGIN; ALTER DATABASE onereply OWNER TO {ROLE}"
THEIR_CONNECTIONS = "SELECT pid FROM pg_stat_activity WHERE usename = $1 ORDER BY pid"
READ_ONLY = "ALTER SYSTEM SET default_transaction_read_only = on"
WRITABLE = "ALTER SYSTEM RESET default_transaction_read_only"
RELOAD = "SELECT pg_reload_conf()"
HANG_UP = "SELECT pg_terminate_backend($1)"


class TroubledDatabase:
    """One server; the bots come in under a name that can be limited."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server
        self._one_at_a_time = asyncio.Lock()

    @property
    def dsn(self) -> str:
        return self._server.dsn.replace("postgres@", f"{ROLE}@")

    async def suffer(self, trouble: DatabaseTrouble) -> None:
        """Fail as the trouble says, and be well again."""
        async with self._one_at_a_time:
            match trouble.kind:
                case "restart fast":
                    await self._server.restart("fast")
                case "restart immediate":
                    await self._server.restart("immediate")
                case "hang up on one":
                    await self._hang_up_on_one(trouble.pick)
                case "read only":
                    await self._order(READ_ONLY, RELOAD)
                    await asyncio.sleep(trouble.seconds)
                    await self._order(WRITABLE, RELOAD)
                case "connection limit":
                    await self._limit(trouble.seconds)
                case "away":
                    await self._server.stop()
                    await asyncio.sleep(trouble.seconds)
                    await self._server.join()
                case _:
                    assert_never(trouble.kind)

    async def _hang_up_on_one(self, pick: float) -> None:
        async with self._connected() as connection:
            if pids := await connection.fetch(THEIR_CONNECTIONS, ROLE):
                await connection.execute(HANG_UP, pids[int(pick * len(pids))]["pid"])

    async def _limit(self, seconds: float) -> None:
        await self._order(f"ALTER ROLE {ROLE} CONNECTION LIMIT {FEW}")
        async with self._connected() as connection:
            for row in await connection.fetch(THEIR_CONNECTIONS, ROLE):
                await connection.execute(HANG_UP, row["pid"])
        await asyncio.sleep(seconds)
        await self._order(f"ALTER ROLE {ROLE} CONNECTION LIMIT -1")

    async def _order(self, *statements: str) -> None:
        async with self._connected() as connection:
            for statement in statements:
                await connection.execute(statement)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[asyncpg.Connection]:
        connection = await asyncpg.connect(self._server.dsn)
        try:
            yield connection
        finally:
            await connection.close()

    async def prepare(self) -> None:
        """Let the bots in."""
        await self._order(MAKE_ROLE)


@asynccontextmanager
async def troubled_database() -> AsyncIterator[TroubledDatabase]:
    """A server for one run."""
    async with private_server() as server:
        database = TroubledDatabase(server)
        await database.prepare()
        yield database
