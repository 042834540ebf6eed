"""How the runs of the only conversation ended, and whether all of it is answered."""

from storage.database import Database
from tests.support.facts import assert_guarantees

RUNS = "SELECT state FROM runs ORDER BY number"
COUNTERS = "SELECT inbound_seq, answered_seq FROM conversations"


async def run_states(db: Database) -> list[str]:
    """The state of each run, the first one first."""
    return [row.state for row in await db.fetch(RUNS, {})]


async def assert_answered(db: Database, count: int) -> None:
    """So many messages came, and a finished reply covers each of them."""
    [row] = await db.fetch(COUNTERS, {})
    assert (row.inbound_seq, row.answered_seq) == (count, count)
    await assert_guarantees(db)


async def assert_unanswered(db: Database) -> None:
    """The watermark has not moved."""
    [row] = await db.fetch(COUNTERS, {})
    assert row.answered_seq == 0
    await assert_guarantees(db)
