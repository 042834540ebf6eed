"""What a running bot does beside answering: read models, partitions, retention."""

from datetime import UTC, datetime, timedelta

import pytest

from bot import upkeep
from bot.upkeep import UPKEEP_SECONDS, Upkeep
from storage import edits
from storage.database import Database
from storage.records import InboundMessage
from tests.support.acts import ADA, CAP, QUIET
from tests.support.neighbours import Neighbours, running_bot
from tests.support.past import Past
from tests.support.tallied import fold_everything
from tests.support.waiting import until_found

COUNTED = """
SELECT 1 FROM tallies WHERE chat_id = 501 AND label = 'replies' AND amount = 1
"""
PARTITIONS = "SELECT inhrelid FROM pg_inherits WHERE inhparent = 'events'::regclass"
MESSAGES = "SELECT message_id FROM messages ORDER BY seq"


class Clock:
    """For `monotonic`."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(upkeep, "monotonic", found)
    return found


async def long_ago(db: Database, first_message: int) -> None:
    past = Past(db, start=datetime.now(UTC) - timedelta(days=5))
    await past.answered(first_message, at=0)
    await past.answered(first_message + 1, at=10)
    await fold_everything(db)


async def left(db: Database) -> list[int]:
    return [row.message_id for row in await db.fetch(MESSAGES, {})]


async def test_a_running_bot_counts_what_it_answers(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say(501, "hello")
        await until_found(around.database_url, COUNTED)
    assert len(await until_found(around.database_url, PARTITIONS)) == 6


async def test_it_keeps_partitions_ahead(db: Database) -> None:
    await Upkeep(db, retention_days=0).look()
    assert len(await db.fetch(PARTITIONS, {})) == 6


async def test_edits_whose_message_never_came_go_in_any_case(db: Database) -> None:
    now = datetime.now(UTC)
    for number, days in ((1, 3), (2, 1)):
        at = now - timedelta(days=days)
        edited = InboundMessage(ADA, number, "corrected", edited_at=at)
        await edits.edit(db, edited, quiet=QUIET, cap=CAP)
    await Upkeep(db, retention_days=0).look()
    rows = await db.fetch("SELECT message_id FROM early_edits", {})
    assert [row.message_id for row in rows] == [2]


async def test_it_removes_what_is_too_old_once_an_hour(db: Database, clock: Clock) -> None:
    await long_ago(db, 1)
    keeper = Upkeep(db, retention_days=2)
    await keeper.look()
    assert await left(db) == [2]
    await long_ago(db, 3)
    await keeper.look()
    assert await left(db) == [2, 3, 4]
    clock.now += UPKEEP_SECONDS
    await keeper.look()
    assert await left(db) == [4]


async def test_without_a_retention_it_keeps_everything(db: Database) -> None:
    await long_ago(db, 1)
    await Upkeep(db, retention_days=0).look()
    await Upkeep(db, retention_days=6).look()
    assert await left(db) == [1, 2]
