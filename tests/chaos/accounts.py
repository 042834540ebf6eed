"""What the event log makes of a run: the read models, and the story of its worst burst."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.timeline import as_text
from coordination.project import Projector, rebuild
from storage.database import Database
from storage.projections import Tally, behind, tallies
from storage.records import ConversationKey
from storage.story import story_of

MANY_DAYS = 36_500

# Most runs, then most parts that were started more than once.
WORST = """
SELECT e.chat_id, e.thread_id, e.correlation_id AS burst
FROM events e WHERE e.correlation_id IS NOT NULL
GROUP BY e.chat_id, e.thread_id, e.correlation_id
ORDER BY count(DISTINCT e.run) DESC, count(*) DESC, 1, 2, 3 LIMIT 1
"""


@dataclass(frozen=True)
class Accounts:
    """Read models kept up by processes that died, the same made anew, and a story."""

    live: Sequence[Tally]
    rebuilt: Sequence[Tally]
    worst: Sequence[str]


async def accounts(db: Database) -> Accounts:
    """Let the last events be folded, and look; then once more from nothing."""
    projector = Projector(db)
    while found := await behind(db, most=1000):
        projector.note(*found)
        await projector.project()
    live = await tallies(db, days=MANY_DAYS)
    await rebuild(db, lambda _conversations, _events: None)
    return Accounts(live, await tallies(db, days=MANY_DAYS), await _worst(db))


async def _worst(db: Database) -> list[str]:
    row = await db.fetch_one(WORST, {})
    if row is None:
        return []
    key = ConversationKey(row.chat_id, row.thread_id)
    return list(as_text(key, await story_of(db, key, row.burst)))
