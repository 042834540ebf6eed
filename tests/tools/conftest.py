"""One process with tools, and one that reminds."""

import pytest

from storage.database import Database
from tests.support.one_process import OneProcess
from tests.support.reminding import RemindingProcess
from tests.support.tool_box import Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def process(db: Database, shop: Shop) -> OneProcess:
    return OneProcess(db, "ada", shop.box)


@pytest.fixture
def bot(db: Database) -> RemindingProcess:
    return RemindingProcess(db, "ada")
