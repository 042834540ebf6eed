"""PostgreSQL for the tests: one server for all, a fresh database for each."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg

from storage import embedded, schema
from storage.database import Database
from storage.embedded import EmbeddedPostgres

TEMPLATE = "template_onereply"
EMPTY = "template0"
# A copy in memory takes 11 ms this way, 23 ms through the log (WAL_LOG, the default).


MEMORY = Path("/dev/shm")  # noqa: S108 - mkdtemp makes it ours
# Each test's database is some 400 files: on a disk most of a run would go into making them.
MEMORY_BYTES = 4 * 1024**3


@contextmanager
def reachable_folder(parent: Path | None = None) -> Iterator[Path]:
    """A short temporary folder that root's PostgreSQL, running as another account, may enter."""
    # As root TMPDIR may lie in a private home.
    if parent is None and os.geteuid() == 0:
        parent = Path("/tmp")  # noqa: S108 - mkdtemp makes it ours
    folder = Path(tempfile.mkdtemp(prefix="onereply-", dir=parent))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _memory() -> Path | None:
    is_roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return MEMORY if is_roomy else None


@asynccontextmanager
async def private_server() -> AsyncIterator[EmbeddedPostgres]:
    """A server with a folder of its own, both gone afterwards."""
    with reachable_folder(_memory()) as folder:
        server = await embedded.start(folder / "postgres", durable=False)
        try:
            yield server
        finally:
            await server.stop()


def database_of(server: EmbeddedPostgres, name: str) -> str:
    """The DSN of another database on the same server."""
    return server.dsn.replace("/onereply?", f"/{name}?")


async def make_template(server: EmbeddedPostgres) -> None:
    """Migrate one database for all tests to copy."""
    await _administer(server, f"CREATE DATABASE {TEMPLATE}")
    database = Database(database_of(server, TEMPLATE))
    try:
        await schema.upgrade(database)
    finally:
        await database.close()


@asynccontextmanager
async def fresh_database(server: EmbeddedPostgres, template: str = TEMPLATE) -> AsyncIterator[str]:
    """The DSN of a migrated database, dropped afterwards under whoever still uses it."""
    name = f"test_{uuid4().hex}"
    await _administer(server, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    try:
        yield database_of(server, name)
    finally:
        await _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _administer(server: EmbeddedPostgres, statement: str) -> None:
    connection = await asyncpg.connect(server.dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
