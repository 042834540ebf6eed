"""Forget a person: every row of the chat goes at once."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import text

from storage.database import Database
from storage.fragments import CLOCK
from storage.records import ConversationKey, Fence
from storage.tables import metadata
from storage.verbs import verb

# What stays is this one row of numbers: a button that Telegram delivers again must not delete what
# was written after it.
DO_ONCE = f"""
WITH {CLOCK}
INSERT INTO commands_done (chat_id, thread_id, message_id, done_at)
SELECT :chat_id, 0, :message_id, clock.now FROM clock
ON CONFLICT (chat_id, thread_id, message_id) DO NOTHING
RETURNING chat_id
"""
LOCK = """
SELECT thread_id, lease_fence FROM conversations WHERE chat_id = :chat_id
ORDER BY thread_id FOR UPDATE
"""
FORGET_COMMANDS = """
DELETE FROM commands_done
WHERE chat_id = :chat_id AND NOT (thread_id = 0 AND message_id = :message_id)
"""


@verb
async def forget_everything(
    db: Database, chat_id: int, message_id: int, *, now: datetime | None = None
) -> list[tuple[ConversationKey, Fence]]:
    """Delete all of the chat, once for each `message_id`; whose leases are void from now on.

    Whoever works under one of them finds no row any more, and changes nothing.
    """
    given = {"chat_id": chat_id, "message_id": message_id}
    async with db.transaction() as connection:
        if (await connection.execute(text(DO_ONCE), {**given, "now": now})).first() is None:
            return []
        locked = (await connection.execute(text(LOCK), given)).all()
        for statement in (FORGET_COMMANDS, *_deletions()):
            await connection.execute(text(statement), given)
    return [(ConversationKey(chat_id, row.thread_id), Fence(row.lease_fence)) for row in locked]


def _deletions() -> Iterator[str]:
    """What counts events comes first, which is locked and then done with; parents come last."""
    names = [table.name for table in reversed(metadata.sorted_tables) if "chat_id" in table.c]
    names.sort(key=lambda name: name != "projected")
    for name in names:
        if name != "commands_done":
            yield f"DELETE FROM {name} WHERE chat_id = :chat_id"
