"""The person stops the answer at the very moment in which it is done."""

from storage.database import Database
from storage.stopping import ask_to_stop
from tests.support.acts import ADA, after, commit, must_take, say
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn

TYPES = "SELECT type FROM events ORDER BY version"


async def test_a_stop_that_waited_for_the_commit_finds_nothing_to_stop(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    committing, stopping = await in_turn(
        database_url, commit(db, taken, at=3), ask_to_stop(db, ADA, now=after(3))
    )
    assert committing
    assert stopping is None
    assert "stop_asked" not in [row.type for row in await db.fetch(TYPES, {})]
    await assert_guarantees(db)


async def test_a_commit_that_waited_for_the_stop_goes_through(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    stopping, committing = await in_turn(
        database_url, ask_to_stop(db, ADA, now=after(3)), commit(db, taken, at=3)
    )
    assert stopping == taken.lease.fence
    assert committing
    await assert_guarantees(db)
