"""The connection pool, and which failures mean "not now" rather than "never"."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from math import inf
from ssl import SSLCertVerificationError
from time import monotonic
from typing import Any

import asyncpg
from sqlalchemy import Row, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from storage.metrics import VERSION_CONFLICTS
from storage.steps import FaultPoint, no_fault

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 30
POOL_SIZE = 10
WARY_SECONDS = 2.0

# https://www.postgresql.org/docs/current/errcodes-appendix.html: connection lost, read-only,
# serialization and deadlock, out of resources, shutting down or starting up, I/O error.
PASSING_CLASSES = ("08", "40", "53", "57P", "58")
PASSING_CODES = ("25006", "55P03", "57014")
REFUSED_CLASSES = ("28", "3D", "42704")


Fetch = Callable[[str, Mapping[str, object]], Awaitable[Sequence[Row[Any]]]]
"""Runs one statement and returns its rows."""


class Unavailable(Exception):
    """The database cannot do it now. Every verb may be called again with the same arguments."""


class Unusable(Exception):
    """The database refuses for good: wrong password, no such database, no such option."""


def driver_dsn(url: str) -> str:
    """The URL as asyncpg reads it, whether or not it names SQLAlchemy's driver."""
    return url.replace("postgresql+asyncpg://", "postgresql://", 1)


@lru_cache
def _clause(sql: str) -> TextClause:
    return text(sql)


class Database:
    """A pool in which each statement is a transaction of its own."""

    def __init__(
        self,
        url: str,
        at: FaultPoint = no_fault,
        *,
        statement_seconds: float | None = STATEMENT_SECONDS,
    ) -> None:
        self.at = at
        self._troubled_at = -inf
        self._dsn = driver_dsn(url)
        self._statement_seconds = statement_seconds
        self._engine: AsyncEngine = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._connect,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            pool_size=POOL_SIZE,
            max_overflow=0,
            pool_timeout=STATEMENT_SECONDS,
            pool_reset_on_return=None,
        )

    async def _connect(self) -> Any:
        try:
            return await asyncpg.connect(
                self._dsn,
                timeout=CONNECT_SECONDS,
                command_timeout=self._statement_seconds,
                server_settings={"application_name": "onereply"},
            )
        except (IndexError, TypeError, ValueError) as error:
            if isinstance(error, asyncpg.ClientConfigurationError):
                raise
            # What the driver says of it may hold a piece of the password.
            raise Unusable("the driver cannot read it, or a PG… variable beside it") from None

    async def fetch(self, sql: str, arguments: Mapping[str, object]) -> Sequence[Row[Any]]:
        """Run one statement and return its rows.

        Raises:
            Unavailable: the database is down, restarting, full or overloaded.
            Unusable: it will never let us in as we are set up.
        """
        try:
            async with self._engine.connect() as connection:
                return (await connection.execute(_clause(sql), arguments)).all()
        except Exception as error:
            meaning = told_apart(error)
            if isinstance(meaning, Unavailable):
                self._troubled_at = monotonic()
            if is_version_conflict(error):
                VERSION_CONFLICTS.inc()
            raise meaning from error

    @property
    def is_wary(self) -> bool:
        """True for a moment after the database could not do something."""
        return monotonic() < self._troubled_at + WARY_SECONDS

    async def fetch_one(self, sql: str, arguments: Mapping[str, object]) -> Row[Any] | None:
        """Like `fetch`, for a statement that gives one row or none."""
        rows = await self.fetch(sql, arguments)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Several statements as one; for migrations and upkeep, no step of a message needs it.

        Raises:
            Unavailable, Unusable: as `fetch` does.
        """
        try:
            async with self._engine.execution_options(
                isolation_level="READ COMMITTED"
            ).begin() as connection:
                yield connection
        except Exception as error:
            raise told_apart(error) from error

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Fetch]:
        """Statements that all see the same moment, and that PostgreSQL keeps from writing.

        Raises:
            Unavailable, Unusable: as `fetch` does.
        """
        try:
            async with self._engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            ).begin() as connection:
                yield partial(_fetch, connection)
        except Exception as error:
            raise told_apart(error) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


async def _fetch(
    connection: AsyncConnection, sql: str, arguments: Mapping[str, object]
) -> Sequence[Row[Any]]:
    result = await connection.execute(_clause(sql), arguments)
    return result.all() if result.returns_rows else []


def is_version_conflict(error: Exception) -> bool:
    """Whether an event was refused because its conversation has one of that version."""
    cause = _driver_error(error)
    return isinstance(cause, asyncpg.UniqueViolationError) and (cause.table_name or "").startswith(
        "events"
    )


def told_apart(error: Exception) -> Exception:
    """The error itself, or the `Unavailable` or `Unusable` that it amounts to."""
    cause = _driver_error(error)
    if isinstance(cause, asyncpg.PostgresError):
        return _by_state(cause, cause.sqlstate or "") or error
    if isinstance(cause, SSLCertVerificationError | asyncpg.ClientConfigurationError):
        return Unusable(str(cause))
    if isinstance(cause, OSError | PoolTimeout):
        return Unavailable(f"{type(cause).__name__}: {cause}")
    if isinstance(cause, asyncpg.InterfaceError) and not isinstance(cause, ValueError):
        return Unavailable(type(cause).__name__)
    if type(cause) is asyncpg.InternalClientError:
        # A statement on a connection whose end the server has announced, but not carried out yet.
        return Unavailable(f"{type(cause).__name__}: {cause}")
    return error


def _by_state(cause: asyncpg.PostgresError, state: str) -> Exception | None:
    if state.startswith(PASSING_CLASSES) or state in PASSING_CODES:
        return Unavailable(f"{type(cause).__name__} ({state})")
    if state.startswith(REFUSED_CLASSES):
        return Unusable(str(cause))
    return None


def _driver_error(error: BaseException) -> BaseException:
    # SQLAlchemy wraps its adapter's error, which was raised from asyncpg's.
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error
