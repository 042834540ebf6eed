"""What the tables must say at any moment, under way or not."""

from storage.audit import audit
from storage.database import Database


async def assert_guarantees(db: Database) -> None:
    """Fail with the rows that break a guarantee."""
    found = await audit(db)
    assert not found.broken, "\n".join(
        f"{each.check.guarantee} {each.check.promise}: {each.rows}" for each in found.broken
    )
