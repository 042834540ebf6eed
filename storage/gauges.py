"""How things stand in the whole database, for whoever watches."""

from storage.database import Database

GAUGES = """
SELECT
    (SELECT count(*) FROM windows WHERE consumed_by IS NULL AND closes_at > now())
        AS windows_open,
    (SELECT count(*) FROM windows JOIN conversations c USING (chat_id, thread_id)
     WHERE due_at <= now() AND c.lease_holder IS NULL AND c.committed_run IS NULL) AS windows_due,
    (SELECT CAST(EXTRACT(EPOCH FROM now() - min(GREATEST(due_at, c.lease_expires_at))) AS float)
     FROM windows JOIN conversations c USING (chat_id, thread_id)
     WHERE due_at <= now() AND c.committed_run IS NULL
       AND (c.lease_expires_at IS NULL OR c.lease_expires_at <= now())) AS overdue_seconds,
    (SELECT count(*) FROM conversations WHERE deliver_after IS NOT NULL) AS replies_waiting,
    (SELECT CAST(EXTRACT(EPOCH FROM now() - min(r.committed_at)) AS float)
     FROM conversations c JOIN runs r ON r.chat_id = c.chat_id AND r.thread_id = c.thread_id
       AND r.number = c.committed_run
     WHERE c.deliver_after IS NOT NULL) AS oldest_reply_seconds,
    (SELECT count(*) FROM reminders WHERE state = 'waiting') AS reminders_waiting,
    (SELECT count(*) FROM effects WHERE undo_due_at IS NOT NULL) AS undos_waiting
"""


async def gauges(db: Database) -> dict[str, float]:
    """Counts and ages in seconds; an age of nothing is 0."""
    [row] = await db.fetch(GAUGES, {})
    return {name: float(value or 0) for name, value in row._asdict().items()}
