"""Counts for whoever reads an audit."""

FIGURES = """
SELECT 1 AS place, 'conversations' AS name, count(*) AS value FROM conversations
UNION ALL SELECT 2, 'messages', count(*) FROM messages
UNION ALL
SELECT 3, 'messages unanswered', COALESCE(CAST(sum(inbound_seq - answered_seq) AS bigint), 0)
FROM conversations
UNION ALL SELECT 4, 'leases held', count(*) FROM conversations WHERE lease_expires_at > now()
UNION ALL SELECT 5, 'leases expired', count(*) FROM conversations WHERE lease_expires_at <= now()
UNION ALL SELECT 6, 'runs ' || state, count(*) FROM runs GROUP BY state
UNION ALL SELECT 7, 'parts ' || state, count(*) FROM outbox GROUP BY state
UNION ALL SELECT 8, 'parts begun more than once', count(*) FROM outbox WHERE attempts > 1
UNION ALL SELECT 9, 'updates set aside', count(*) FROM set_aside_updates
ORDER BY place, name
"""
