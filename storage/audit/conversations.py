"""Counters, watermarks, messages and windows: G1, G2, G4, G5, G6."""

from storage.audit.check import FINISHED, Check, Look

# Row by row rather than by count and maximum: a number twice and one missing cancel out. Numbers
# in order lie as far above their places as the first of them: zero, or what was pruned.
MESSAGES = """
SELECT chat_id, thread_id, c.inbound_seq, COALESCE(f.content_seq, 0) AS pruned,
    COALESCE(m.stored, 0) AS stored,
    CASE
        WHEN c.inbound_seq IS NULL THEN 'messages of no conversation'
        WHEN c.inbound_seq <> COALESCE(f.content_seq, 0) + COALESCE(m.stored, 0)
        THEN 'counter is not the number of messages'
        WHEN m.lowest <> COALESCE(f.content_seq, 0) OR m.highest <> COALESCE(f.content_seq, 0)
        THEN 'numbers with a gap or twice'
    END AS wrong
FROM conversations c FULL JOIN (
    SELECT chat_id, thread_id, count(*) AS stored,
        min(seq - place) AS lowest, max(seq - place) AS highest
    FROM (
        SELECT chat_id, thread_id, seq,
            row_number() OVER (PARTITION BY chat_id, thread_id ORDER BY seq) AS place
        FROM messages
    ) placed
    GROUP BY chat_id, thread_id
) m USING (chat_id, thread_id) LEFT JOIN floors f USING (chat_id, thread_id)
"""

ONCE = """
SELECT chat_id, thread_id, message_id, count(*) AS times,
    CASE WHEN count(*) > 1 THEN 'counted more than once' END AS wrong
FROM messages GROUP BY chat_id, thread_id, message_id
"""

WATERMARKS = f"""
SELECT chat_id, thread_id, c.answered_seq, c.inbound_seq, r.reached, f.content_seq AS pruned,
    CASE
        WHEN c.answered_seq IS DISTINCT FROM COALESCE(r.reached, f.content_seq, 0)
        THEN 'watermark is not where the finished ranges end'
    END AS not_reached,
    CASE
        WHEN c.answered_seq > c.inbound_seq THEN 'watermark above the counter'
        WHEN c.answered_seq < 0 THEN 'watermark below zero'
    END AS out_of_bounds
FROM conversations c FULL JOIN (
    SELECT chat_id, thread_id, max(last_seq) AS reached FROM runs
    WHERE state IN {FINISHED} AND kind = 'burst'
    GROUP BY chat_id, thread_id
) r USING (chat_id, thread_id) LEFT JOIN floors f USING (chat_id, thread_id)
"""

# A run that was handed over, lost or superseded may still be the one that consumed the window.
WINDOWS = f"""
SELECT w.chat_id, w.thread_id, w.opened_at, w.closes_at, w.cap_at, w.consumed_by,
    r.state AS run_state,
    CASE
        WHEN w.closes_at > w.cap_at THEN 'closes after its cap'
        WHEN w.closes_at < w.opened_at THEN 'closes before it opens'
        WHEN w.consumed_by IS NOT NULL AND r.state IS NULL THEN 'consumed by no run'
        WHEN w.consumed_by IS NOT NULL AND r.state IN {FINISHED} THEN 'consumed by a finished run'
    END AS wrong
FROM windows w LEFT JOIN runs r
    ON r.chat_id = w.chat_id AND r.thread_id = w.thread_id AND r.number = w.consumed_by
"""

DROPPED = """
SELECT chat_id, thread_id, c.superseded_count, COALESCE(r.superseded, 0) AS superseded_runs,
    c.model_attempts, COALESCE(r.postponed, 0) AS postponed_runs,
    CASE
        WHEN c.superseded_count <> COALESCE(r.superseded, 0) THEN 'superseded runs miscounted'
        WHEN c.model_attempts <> COALESCE(r.postponed, 0) THEN 'postponed runs miscounted'
    END AS wrong
FROM conversations c LEFT JOIN (
    SELECT chat_id, thread_id, count(*) FILTER (WHERE state = 'superseded') AS superseded,
        count(*) FILTER (WHERE state = 'postponed') AS postponed
    FROM runs JOIN conversations USING (chat_id, thread_id)
    WHERE state IN ('superseded', 'postponed') AND kind = 'burst' AND first_seq > answered_seq
    GROUP BY chat_id, thread_id
) r USING (chat_id, thread_id)
"""

# Overdue counts from when the work was due and nobody held the lease any more.
WAITING = """
SELECT chat_id, thread_id, answered_seq, inbound_seq, due_at, lease_holder, lease_expires_at,
    CASE
        WHEN is_unanswered AND NOT has_window THEN 'unanswered, no window'
        WHEN has_window AND NOT is_unanswered THEN 'a window, but nothing unanswered'
    END AS stranded,
    CASE
        WHEN GREATEST(due_at, lease_expires_at) <= now() - CAST(:late_after AS interval)
        THEN 'nobody took it'
    END AS overdue,
    CAST(EXTRACT(EPOCH FROM now() - GREATEST(due_at, lease_expires_at)) AS bigint) AS seconds
FROM (
    SELECT chat_id, thread_id, c.answered_seq, c.inbound_seq, c.lease_holder, c.lease_expires_at,
        COALESCE(c.inbound_seq > c.answered_seq, false) AS is_unanswered,
        w.closes_at IS NOT NULL AS has_window, COALESCE(c.deliver_after, w.due_at) AS due_at
    FROM conversations c FULL JOIN windows w USING (chat_id, thread_id)
) c
WHERE is_unanswered OR has_window
"""

LOOKS = (
    Look(
        MESSAGES,
        (Check("G1", "messages are numbered up to the counter", "conversations", "wrong"),),
    ),
    Look(ONCE, (Check("G1", "no message is counted twice", "messages", "wrong"),)),
    Look(
        WATERMARKS,
        (
            Check("G1", "finished ranges end at the watermark", "conversations", "not_reached"),
            Check("G2", "0 <= watermark <= counter", "conversations", "out_of_bounds"),
        ),
    ),
    Look(
        WINDOWS,
        (
            Check(
                "G4", "windows close within their cap and go with their burst", "windows", "wrong"
            ),
        ),
    ),
    Look(
        DROPPED,
        (Check("G5", "dropped and failed runs of a burst are counted", "conversations", "wrong"),),
    ),
    Look(
        WAITING,
        (
            Check("G6", "what is unanswered has a window", "conversations", "stranded"),
            Check("G6", "what is due is taken", "conversations", "overdue", is_warning=True),
        ),
    ),
)
