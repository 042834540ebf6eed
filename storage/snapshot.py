"""One conversation as it stands, for people to look at."""

from storage.database import Database
from storage.records import ConversationKey

SNAPSHOT = """
SELECT c.inbound_seq, c.answered_seq, c.superseded_count, c.model_attempts,
    w.closes_at IS NOT NULL AND w.consumed_by IS NULL AS window_is_open,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - w.opened_at) AS float) AS opened_ago,
    CAST(EXTRACT(EPOCH FROM w.due_at - clock_timestamp()) AS float) AS closes_in,
    CAST(EXTRACT(EPOCH FROM w.cap_at - clock_timestamp()) AS float) AS cap_in,
    COALESCE(w.retry_at > w.closes_at, false) AS is_retry,
    c.lease_holder, c.lease_fence,
    CAST(EXTRACT(EPOCH FROM c.lease_expires_at - clock_timestamp()) AS float) AS expires_in,
    r.state, r.first_seq, r.last_seq
FROM conversations c
LEFT JOIN windows w USING (chat_id, thread_id)
LEFT JOIN LATERAL (
    SELECT * FROM runs
    WHERE runs.chat_id = c.chat_id AND runs.thread_id = c.thread_id
    ORDER BY number DESC LIMIT 1
) r ON true
WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
"""


async def snapshot(db: Database, key: ConversationKey) -> dict[str, object] | None:
    """Counter, watermark, window, lease and last run; times in seconds from now."""
    row = await db.fetch_one(SNAPSHOT, key._asdict())
    if row is None:
        return None
    window = {
        name: getattr(row, name) for name in ("opened_ago", "closes_in", "cap_in", "is_retry")
    }
    lease = {
        "holder": row.lease_holder,
        "fence": row.lease_fence,
        "expires_in": row.expires_in,
    }
    run = {name: getattr(row, name) for name in ("state", "first_seq", "last_seq")}
    return {
        "inbound_seq": row.inbound_seq,
        "answered_seq": row.answered_seq,
        "superseded_count": row.superseded_count,
        "model_attempts": row.model_attempts,
        "window": window if row.window_is_open else None,
        "lease": None if row.lease_holder is None else lease,
        "run": None if row.state is None else run,
    }
