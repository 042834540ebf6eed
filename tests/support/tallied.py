"""The read models, to compare before with after."""

from storage.database import Database
from storage.projections import behind, fold

SUMS = """
SELECT chat_id, thread_id, CAST(day AS text) AS day, kind, label,
    CAST(sum(amount) AS bigint) AS amount
FROM tallies GROUP BY chat_id, thread_id, day, kind, label HAVING sum(amount) <> 0
"""

Tallied = dict[tuple[int, int, str, str, str], int]


async def tallied(db: Database) -> Tallied:
    """Every sum, whether its events were pruned or not."""
    return {tuple(row[:5]): row.amount for row in await db.fetch(SUMS, {})}


async def fold_everything(db: Database, *, most: int = 500) -> None:
    while keys := await behind(db, most=100):
        await fold(db, keys, most=most)
