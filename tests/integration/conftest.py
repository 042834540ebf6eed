"""What many of the parts stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database import Database
from tests.support.one_process import OneProcess
from tests.support.postgres import reachable_folder


@pytest.fixture
def process(db: Database) -> OneProcess:
    return OneProcess(db, "ada")


@pytest.fixture
def folder() -> Iterator[Path]:
    """For a server of PostgreSQL."""
    with reachable_folder() as path:
        yield path
