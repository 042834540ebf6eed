"""Results of deterministic steps, kept so that they need not be made again."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database
from storage.fragments import CLOCK
from storage.records import ConversationKey, Seq
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation was about, up to the message `last_seq`."""

    key: str
    last_seq: Seq
    text: str


NEAREST = """
SELECT key, last_seq, value FROM cached_results
WHERE chat_id = :chat_id AND thread_id = :thread_id
  AND recipe = :recipe AND last_seq > :after_seq AND last_seq <= :last_seq
ORDER BY last_seq DESC LIMIT 1
"""

KEEP = f"""
WITH {CLOCK}
INSERT INTO cached_results (chat_id, thread_id, key, recipe, last_seq, value, made_at)
SELECT :chat_id, :thread_id, :key, :recipe, :last_seq, :value, clock.now FROM clock
ON CONFLICT (chat_id, thread_id, key) DO NOTHING
RETURNING key
"""


@verb
async def nearest_summary(
    db: Database, conversation: ConversationKey, *, recipe: str, after_seq: int = 0, last_seq: int
) -> Summary | None:
    """The summary by this recipe that reaches furthest, beyond the one but not the other."""
    given = {"recipe": recipe, "after_seq": after_seq, "last_seq": last_seq}
    row = await db.fetch_one(NEAREST, {**conversation._asdict(), **given})
    return None if row is None else Summary(row.key, Seq(row.last_seq), row.value)


@verb
async def keep_summary(
    db: Database,
    conversation: ConversationKey,
    summary: Summary,
    *,
    recipe: str,
    now: datetime | None = None,
) -> None:
    """Keep a summary; of two with the same key the first one stays."""
    given = {
        "key": summary.key,
        "recipe": recipe,
        "last_seq": summary.last_seq,
        "value": summary.text,
        "now": now,
    }
    await db.fetch(KEEP, {**conversation._asdict(), **given})
