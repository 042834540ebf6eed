"""What the tables must say whenever nothing is under way."""

from storage.database import Database

NOT_TILING = """
SELECT chat_id, thread_id, number, first_seq, last_seq FROM (
    SELECT r.*, COALESCE(lag(last_seq) OVER (
        PARTITION BY chat_id, thread_id ORDER BY first_seq), 0) AS before
    FROM runs r WHERE state IN ('sent', 'failed', 'undeliverable')
) finished WHERE first_seq <> before + 1
"""

WATERMARK_ELSEWHERE = """
SELECT c.chat_id, c.thread_id, c.answered_seq FROM conversations c
WHERE c.answered_seq <> (
    SELECT COALESCE(max(last_seq), 0) FROM runs r
    WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id
      AND r.state IN ('sent', 'failed', 'undeliverable')
) OR c.inbound_seq <> (
    SELECT count(*) FROM messages m
    WHERE m.chat_id = c.chat_id AND m.thread_id = c.thread_id
)
"""

STRANDED = """
SELECT c.chat_id, c.thread_id FROM conversations c
LEFT JOIN windows w USING (chat_id, thread_id)
WHERE (c.inbound_seq > c.answered_seq) <> (w.chat_id IS NOT NULL)
"""

OVER_THE_CAP = "SELECT chat_id, thread_id FROM windows WHERE closes_at > cap_at"

CHECKS = {
    "G1 finished ranges tile": NOT_TILING,
    "G2 counter and watermark are what messages and runs say": WATERMARK_ELSEWHERE,
    "G4 windows close within their cap": OVER_THE_CAP,
    "G6 unanswered means a window": STRANDED,
}


async def assert_guarantees(db: Database) -> None:
    """Fail with the rows that break a guarantee."""
    for name, sql in CHECKS.items():
        rows = await db.fetch(sql, {})
        assert not rows, f"{name}: {[tuple(row) for row in rows]}"
