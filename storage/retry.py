"""What can be answered again."""

from storage.attachments import from_rows
from storage.database import Database
from storage.records import Attachment, ConversationKey
from storage.verbs import verb

# Of the burst that was answered last, be the reply still on its way; every run of it began with
# the same message. What still waits brings its own.
LAST_BURST = """
SELECT m.attachments FROM conversations c LEFT JOIN messages m
    ON m.chat_id = c.chat_id AND m.thread_id = c.thread_id
    AND c.inbound_seq = GREATEST(c.answered_seq, (
        SELECT r.last_seq FROM runs r
        WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.committed_run
    ))
    AND m.seq > c.reset_seq AND m.seq >= (
        SELECT max(r.first_seq) FROM runs r
        WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.kind = 'burst'
    )
WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id AND c.inbound_seq > c.reset_seq
ORDER BY m.message_id
"""


@verb
async def pictures_to_see_again(
    db: Database, key: ConversationKey
) -> tuple[Attachment, ...] | None:
    """Those of the last burst, since the history only says that they were there.

    None: nothing was said since the beginning, or since the last reset.
    """
    rows = await db.fetch(LAST_BURST, key._asdict())
    found = [each for row in rows for each in from_rows(row.attachments)]
    return tuple(each for each in found if each.is_picture) if rows else None
