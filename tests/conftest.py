from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from storage.database import Database
from storage.embedded import EmbeddedPostgres
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import fresh_database, make_template, private_server
from tests.support.steady_pauses import use_steady_pauses
from tests.support.waiting import opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def postgres() -> AsyncIterator[EmbeddedPostgres]:
    """The server that all tests share: not for those that stop or restart it."""
    async with private_server() as server:
        await make_template(server)
        yield server


@pytest_asyncio.fixture
async def database_url(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """The DSN of a migrated database of this test's own."""
    async with fresh_database(postgres) as dsn:
        yield dsn


@pytest_asyncio.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    """That database, opened."""
    async with opened(database_url) as database:
        yield database


@pytest_asyncio.fixture
async def own_postgres() -> AsyncIterator[EmbeddedPostgres]:
    """A server of this test's own, to stop and restart; its database `onereply` is empty."""
    async with private_server() as server:
        yield server


@pytest_asyncio.fixture
async def around(database_url: str) -> AsyncIterator[Neighbours]:
    """Stand-ins for Telegram and the model, and a database, for one bot."""
    async with neighbours(database_url) as found:
        yield found


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """To say which database a command in this process is to use: none yet, not even in a .env."""
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "EMBEDDED_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def this_database(environment: pytest.MonkeyPatch, database_url: str) -> None:
    """It is to use the database of this test."""
    environment.setenv("DATABASE_URL", database_url)


@pytest.fixture
def steady_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pause is as long as the next one of its kind."""
    use_steady_pauses(monkeypatch)


@pytest.fixture
def longest_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pause is the longest that it may be."""
    use_steady_pauses(monkeypatch, share=1)
