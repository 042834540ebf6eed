"""Edits: what a person corrects after it was received."""

from datetime import datetime, timedelta

from storage.attachments import as_json
from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK
from storage.records import Counted, InboundMessage, Seq
from storage.verbs import verb

_TOLD = told(
    "corrected",
    "'edited'",
    """jsonb_build_object(
        'seq', seq, 'message_id', CAST(:message_id AS bigint),
        'length', length(CAST(:text AS text)), 'is_answered', is_answered,
        'last_seq', CASE WHEN NOT is_answered THEN inbound_seq END
    )""",
    burst="CASE WHEN NOT is_answered THEN answered_seq + 1 END",
    holder="NULL",
)
# Telegram tells the time of an edit in whole seconds: of two in one second the last counts.
# A message that a committed reply covers counts as answered. Of one that waits, the edit is news
# like a message: it moves the window, and a run that has read the old words is outdated.
EDIT = f"""
WITH {CLOCK},
open AS (
    SELECT c.chat_id, c.thread_id, COALESCE((
        SELECT GREATEST(r.last_seq, c.answered_seq) FROM runs r
        WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.committed_run
    ), c.answered_seq) AS settled_seq
    FROM conversations c WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
    FOR UPDATE
),
kept AS (
    INSERT INTO early_edits AS e (chat_id, thread_id, message_id, text, attachments, edited_at)
    SELECT :chat_id, :thread_id, :message_id, :text, CAST(CAST(:attachments AS text) AS jsonb),
        :edited_at
    WHERE NOT EXISTS (
        SELECT FROM messages m
        WHERE m.chat_id = :chat_id AND m.thread_id = :thread_id AND m.message_id = :message_id
    )
    ON CONFLICT (chat_id, thread_id, message_id) DO UPDATE
    SET text = excluded.text, attachments = excluded.attachments, edited_at = excluded.edited_at
    WHERE e.edited_at <= excluded.edited_at
),
edited AS (
    UPDATE messages m
    SET text = :text, attachments = CAST(CAST(:attachments AS text) AS jsonb), heard = NULL,
        edited_at = :edited_at
    FROM open
    WHERE m.chat_id = open.chat_id AND m.thread_id = open.thread_id
      AND m.message_id = :message_id
      AND (m.edited_at IS NULL OR m.edited_at <= CAST(:edited_at AS timestamptz))
      AND (m.text <> :text
           OR m.attachments IS DISTINCT FROM CAST(CAST(:attachments AS text) AS jsonb))
    RETURNING m.chat_id, m.thread_id, m.seq, m.seq <= open.settled_seq AS is_answered
),
-- Back to the words we have: an older edit that is late must not change them.
noted AS (
    UPDATE messages m SET edited_at = :edited_at
    FROM open
    WHERE m.chat_id = open.chat_id AND m.thread_id = open.thread_id
      AND m.message_id = :message_id AND m.text = :text
      AND m.attachments IS NOT DISTINCT FROM CAST(CAST(:attachments AS text) AS jsonb)
      AND (m.edited_at IS NULL OR m.edited_at < CAST(:edited_at AS timestamptz))
),
corrected AS (
    UPDATE conversations c
    SET event_version = c.event_version + 1,
        revision = c.revision + CASE WHEN is_answered THEN 0 ELSE 1 END,
        received_version = CASE WHEN is_answered THEN c.received_version
                                ELSE c.event_version + 1 END
    FROM edited WHERE c.chat_id = edited.chat_id AND c.thread_id = edited.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, c.inbound_seq, c.answered_seq, c.revision,
        edited.seq, edited.is_answered
),
moved AS (
    UPDATE windows w SET
        opened_at = CASE WHEN w.consumed_by IS NULL THEN w.opened_at ELSE clock.now END,
        closes_at = CASE
            WHEN w.consumed_by IS NOT NULL THEN clock.now + CAST(:quiet AS interval)
            WHEN w.closes_at <= clock.now THEN w.closes_at
            ELSE GREATEST(
                w.closes_at, LEAST(clock.now + CAST(:quiet AS interval), w.cap_at)
            )
        END,
        cap_at = CASE WHEN w.consumed_by IS NULL THEN w.cap_at
                      ELSE clock.now + CAST(:cap AS interval) END,
        consumed_by = NULL
    FROM corrected, clock
    WHERE w.chat_id = corrected.chat_id AND w.thread_id = corrected.thread_id
      AND NOT corrected.is_answered
    RETURNING w.due_at
),
{_TOLD}
SELECT inbound_seq, revision, is_answered,
    CAST(EXTRACT(EPOCH FROM (SELECT due_at FROM moved) - clock.now) AS float) AS due_in
FROM corrected, clock
"""


@verb
async def edit(
    db: Database,
    message: InboundMessage,
    *,
    quiet: timedelta,
    cap: timedelta,
    now: datetime | None = None,
) -> Counted | None:
    """Correct a message; the conversation if that changes what is to be answered, else None.

    An edit older than the one we have changes nothing; one of a message that has not come yet is
    kept until it comes.
    """
    given = {
        **message.key._asdict(),
        "message_id": message.message_id,
        "text": message.text,
        "attachments": as_json(message.attachments),
        "edited_at": message.edited_at,
        "quiet": quiet,
        "cap": cap,
        "now": now,
    }
    row = await db.fetch_one(EDIT, given)
    if row is None or row.is_answered:
        return None
    return Counted(message.key, Seq(row.inbound_seq), row.due_in, 0, row.revision)
