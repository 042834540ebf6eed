"""Which conversations are due. A wake-up is a hint; these tables are the truth."""

from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK, LEASE_IS_FREE
from storage.records import ConversationKey
from storage.verbs import verb

DUE = f"""
WITH {CLOCK},
due AS (
    SELECT c.chat_id, c.thread_id, w.due_at AS since
    FROM windows w JOIN conversations c USING (chat_id, thread_id), clock
    WHERE w.due_at <= clock.now AND c.committed_run IS NULL AND {LEASE_IS_FREE}
      AND CAST(:may_generate AS boolean)
    UNION ALL
    SELECT c.chat_id, c.thread_id, c.deliver_after
    FROM conversations c, clock
    WHERE c.deliver_after <= clock.now AND {LEASE_IS_FREE}
)
SELECT chat_id, thread_id FROM due ORDER BY since LIMIT :most
"""

DUE_IN = f"""
WITH {CLOCK}
SELECT CAST(EXTRACT(EPOCH FROM COALESCE(c.deliver_after, w.due_at) - clock.now) AS float) AS due_in
FROM conversations c LEFT JOIN windows w USING (chat_id, thread_id), clock
WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
  AND COALESCE(c.deliver_after, w.due_at) IS NOT NULL
"""


@verb
async def due_conversations(
    db: Database,
    *,
    holder: str,
    most: int,
    may_generate: bool = True,
    now: datetime | None = None,
) -> list[ConversationKey]:
    """Conversations that somebody should answer now, the longest overdue first.

    Without `may_generate` only those that wait for the delivery of a committed reply.
    """
    given = {"holder": holder, "most": most, "may_generate": may_generate}
    rows = await db.fetch(DUE, {**given, "wary": db.is_wary, "now": now})
    return [ConversationKey(row.chat_id, row.thread_id) for row in rows]


@verb
async def due_in(
    db: Database, key: ConversationKey, *, now: datetime | None = None
) -> float | None:
    """Seconds until the conversation is due (negative: overdue); None: nothing is unanswered."""
    row = await db.fetch_one(DUE_IN, {**key._asdict(), "now": now})
    return None if row is None else row.due_in
