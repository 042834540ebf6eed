"""The real database, on an event loop that the machine's synchronous rules drive."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TypeVar

import asyncpg

from storage.database import Database, driver_dsn
from tests.support.facts import assert_guarantees
from tests.support.tables import EMPTY, Rows, all_rows

T = TypeVar("T")


class Stage:
    """One database for all examples."""

    def __init__(self, dsn: str) -> None:
        self._loop = asyncio.new_event_loop()
        self.db = Database(dsn)
        # Twice as quick as the pool, and every step looks at every row.
        self._connection: asyncpg.Connection = self.run(asyncpg.connect(driver_dsn(dsn)))

    def run(self, verb: Coroutine[object, object, T]) -> T:
        return self._loop.run_until_complete(verb)

    def empty(self) -> None:
        self.run(self._connection.execute(EMPTY))

    def rows(self) -> Rows:
        return self.run(all_rows(self._connection))

    def assert_guarantees(self) -> None:
        self.run(assert_guarantees(self.db))

    def close(self) -> None:
        self.run(self._connection.close())
        self.run(self.db.close())
        self._loop.close()


@contextmanager
def staged(dsn: str) -> Iterator[Stage]:
    stage = Stage(dsn)
    try:
        yield stage
    finally:
        stage.close()
