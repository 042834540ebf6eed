"""Results of deterministic steps, kept so that they need not be made again."""

from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK
from storage.records import ConversationKey
from storage.verbs import verb

CACHED = """
SELECT value FROM cached_results
WHERE chat_id = :chat_id AND thread_id = :thread_id AND key = :key
"""

CACHE = f"""
WITH {CLOCK}
INSERT INTO cached_results (chat_id, thread_id, key, value, made_at)
SELECT :chat_id, :thread_id, :key, :value, clock.now FROM clock
ON CONFLICT (chat_id, thread_id, key) DO NOTHING
RETURNING key
"""


@verb
async def cached(db: Database, conversation: ConversationKey, key: str) -> str | None:
    """The result that was kept under `key`, if any."""
    row = await db.fetch_one(CACHED, {**conversation._asdict(), "key": key})
    return None if row is None else row.value


@verb
async def keep(
    db: Database,
    conversation: ConversationKey,
    key: str,
    value: str,
    *,
    now: datetime | None = None,
) -> None:
    """Keep a result; the first one stays."""
    given = {"key": key, "value": value, "now": now}
    await db.fetch(CACHE, {**conversation._asdict(), **given})
