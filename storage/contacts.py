"""Contacts: facts as they were said, of which the newest of each kind make the record."""

from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK
from storage.records import ConversationKey
from storage.verbs import verb

SAVE = f"""
WITH {CLOCK}
INSERT INTO contact_facts (chat_id, thread_id, key, kind, value, saved_at)
SELECT :chat_id, :thread_id, :key, fact.kind, fact.value, clock.now
FROM unnest(CAST(:kinds AS text[]), CAST(:values AS text[])) AS fact(kind, value), clock
ON CONFLICT (chat_id, thread_id, key, kind) DO NOTHING
RETURNING kind
"""

CONTACT = """
SELECT DISTINCT ON (kind) kind, value FROM contact_facts
WHERE chat_id = :chat_id AND thread_id = :thread_id
ORDER BY kind, saved_at DESC, key
"""

FORGET = """
DELETE FROM contact_facts WHERE chat_id = :chat_id AND thread_id = :thread_id AND key = :key
RETURNING kind
"""


@verb
async def save_facts(
    db: Database,
    conversation: ConversationKey,
    *,
    key: str,
    facts: dict[str, str],
    now: datetime | None = None,
) -> None:
    """Add facts by kind; again with the same `key` changes nothing."""
    given = {"key": key, "kinds": list(facts), "values": list(facts.values()), "now": now}
    await db.fetch(SAVE, {**conversation._asdict(), **given})


@verb
async def contact_of(db: Database, conversation: ConversationKey) -> dict[str, str]:
    """The newest fact of each kind."""
    rows = await db.fetch(CONTACT, conversation._asdict())
    return {row.kind: row.value for row in rows}


@verb
async def forget_facts(db: Database, conversation: ConversationKey, *, key: str) -> None:
    """Take back what was added with `key`: the facts before it count again."""
    await db.fetch(FORGET, {**conversation._asdict(), "key": key})
