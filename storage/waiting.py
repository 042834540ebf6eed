"""Who waits for a model that is away, and was not told yet."""

from datetime import datetime, timedelta

from storage.database import Database
from storage.events import milliseconds, told
from storage.fragments import CLOCK
from storage.records import ConversationKey
from storage.verbs import verb

_TOLD_TO_WAIT = told(
    "numbered",
    "'told_to_wait'",
    f"jsonb_build_object('waited_ms', {milliseconds('clock.now - closes_at')})",
    burst="burst",
)
# Whoever is being answered right now is left alone, and so is whoever writes right now.
TELL_TO_WAIT = f"""
WITH {CLOCK},
waiting AS (
    SELECT c.chat_id, c.thread_id, c.answered_seq + 1 AS burst, w.closes_at
    FROM windows w JOIN conversations c USING (chat_id, thread_id), clock
    WHERE w.closes_at + CAST(:after AS interval) <= clock.now
      AND w.told_burst IS DISTINCT FROM c.answered_seq + 1
      AND c.inbound_seq > c.answered_seq AND c.committed_run IS NULL
      AND (c.lease_expires_at IS NULL OR c.lease_expires_at <= clock.now)
    ORDER BY w.closes_at LIMIT :most
    FOR UPDATE OF c, w SKIP LOCKED
),
marked AS (
    UPDATE windows w SET told_burst = waiting.burst
    FROM waiting WHERE w.chat_id = waiting.chat_id AND w.thread_id = waiting.thread_id
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM waiting WHERE c.chat_id = waiting.chat_id AND c.thread_id = waiting.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, waiting.burst, waiting.closes_at
),
{_TOLD_TO_WAIT}
SELECT chat_id, thread_id FROM numbered ORDER BY closes_at
"""


@verb
async def tell_to_wait(
    db: Database, *, holder: str, after: timedelta, most: int, now: datetime | None = None
) -> list[ConversationKey]:
    """Note as told, once for each burst, those whose window closed `after` ago or longer.

    At most `most` of them, the longest waiting first. They are the caller's to tell.
    """
    given = {"holder": holder, "after": after, "most": most, "now": now}
    rows = await db.fetch(TELL_TO_WAIT, given)
    return [ConversationKey(row.chat_id, row.thread_id) for row in rows]
