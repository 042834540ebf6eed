"""Leases that belong to no conversation: the same verbs for polling a bot and for any resource."""

from storage.fragments import CLOCK


def take(table: str, name: str, kind: str) -> str:
    """SQL: become holder of `:name`, unless somebody is and has neither expired nor died."""
    return f"""
WITH {CLOCK}
INSERT INTO {table} AS l ({name}, holder, fence, expires_at)
SELECT CAST(:name AS {kind}), CAST(:holder AS text), 1, clock.now + CAST(:ttl AS interval)
FROM clock
ON CONFLICT ({name}) DO UPDATE
SET holder = excluded.holder, fence = l.fence + 1, expires_at = excluded.expires_at
WHERE l.holder IS NULL OR l.holder = excluded.holder OR l.holder = ANY(CAST(:dead AS text[]))
   OR l.expires_at <= excluded.expires_at - CAST(:ttl AS interval)
RETURNING fence
"""


def renew(table: str, name: str) -> str:
    """SQL: stay holder of `:name`; no row: somebody took over."""
    return f"""
WITH {CLOCK}
UPDATE {table} l SET expires_at = clock.now + CAST(:ttl AS interval)
FROM clock
WHERE l.{name} = :name AND l.holder = :holder AND l.fence = :fence
RETURNING l.fence
"""


def release(table: str, name: str) -> str:
    """SQL: let another one hold `:name` at once."""
    return f"""
UPDATE {table} SET holder = NULL, expires_at = NULL
WHERE {name} = :name AND holder = :holder AND fence = :fence
RETURNING fence
"""
