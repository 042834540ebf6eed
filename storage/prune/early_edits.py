"""Prune edits whose message never came, or was pruned itself before it was edited."""

from datetime import datetime, timedelta

from storage.database import Database
from storage.fragments import CLOCK

BATCH_EDITS = 1000

# Whoever is at one of them changes it or takes it away: it is not old.
PRUNE_EARLY_EDITS = f"""
WITH {CLOCK},
old AS (
    SELECT e.chat_id, e.thread_id, e.message_id FROM early_edits e, clock
    WHERE e.edited_at < clock.now - CAST(:older_than AS interval)
    LIMIT :most FOR UPDATE OF e SKIP LOCKED
)
DELETE FROM early_edits e USING old
WHERE (e.chat_id, e.thread_id, e.message_id) = (old.chat_id, old.thread_id, old.message_id)
RETURNING e.message_id
"""


async def prune_early_edits(
    db: Database, *, older_than: timedelta, now: datetime | None = None
) -> int:
    """Remove up to so many old ones; how many went."""
    given = {"older_than": older_than, "most": BATCH_EDITS, "now": now}
    return len(await db.fetch(PRUNE_EARLY_EDITS, given))
