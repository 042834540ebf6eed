"""Receiving: store, count, and open or extend the window, in one statement."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from storage.attachments import as_json, from_rows
from storage.database import Database
from storage.events import milliseconds, told
from storage.fragments import CLOCK
from storage.records import ConversationKey, Counted, InboundMessage, SentReply, Seq, StoredMessage
from storage.verbs import verb

# Conversations are locked in the order of their keys: two statements cannot deadlock.
# A second delivery that is being stored at this very moment breaks `messages_once`, which undoes
# the whole statement: asked again, it sees the message.
# A message that arrives while a committed reply waits for its delivery belongs to the next burst.
TOLD_ARRIVED = told(
    "arrived",
    "'received'",
    "payload",
    burst="""1 + CASE WHEN committed_run IS NULL THEN answered_seq ELSE (
            SELECT r.last_seq FROM runs r
            WHERE r.chat_id = arrived.chat_id AND r.thread_id = arrived.thread_id
              AND r.number = arrived.committed_run
        ) END""",
    holder="NULL",
)
TOLD_OF_EACH = """,
        array_agg(message_id ORDER BY message_id) AS message_ids,
        array_agg(length(text) ORDER BY message_id) AS lengths"""
TOLD_RECEIVED = f""",
arrived AS (
    SELECT chat_id, thread_id, inbound_seq, places, event_version, committed_run, answered_seq,
        revision, due_at, jsonb_build_object(
            'first_seq', inbound_seq - places + 1, 'last_seq', inbound_seq,
            'message_ids', message_ids, 'lengths', lengths, 'opened', opened_at = clock.now,
            'closes_in_ms', {milliseconds("closes_at - clock.now")},
            'cap_in_ms', {milliseconds("cap_at - clock.now")}
        ) AS payload
    FROM counted JOIN opened USING (chat_id, thread_id) JOIN chats USING (chat_id, thread_id),
        clock
),
{TOLD_ARRIVED}
SELECT chat_id, thread_id, inbound_seq, places, revision,
    CAST(EXTRACT(EPOCH FROM due_at - clock.now) AS float) AS due_in
FROM arrived, clock
"""

RECEIVE = f"""
WITH {CLOCK},
given AS (
    SELECT DISTINCT ON (chat_id, thread_id, message_id) *
    FROM unnest(
        CAST(:chat_ids AS bigint[]), CAST(:thread_ids AS bigint[]),
        CAST(:message_ids AS bigint[]), CAST(:texts AS text[]), CAST(:attachments AS text[]),
        CAST(:sent_ats AS timestamptz[]), CAST(:quiets AS interval[])
    ) AS given(chat_id, thread_id, message_id, text, attachments, sent_at, quiet)
    ORDER BY chat_id, thread_id, message_id
),
fresh AS (
    SELECT chat_id, thread_id, message_id, sent_at, quiet, e.edited_at,
        COALESCE(e.text, given.text) AS text,
        CASE WHEN e.edited_at IS NULL THEN CAST(given.attachments AS jsonb)
             ELSE e.attachments END AS attachments,
        row_number() OVER (PARTITION BY chat_id, thread_id ORDER BY message_id) AS place
    FROM given LEFT JOIN early_edits e USING (chat_id, thread_id, message_id)
    WHERE NOT EXISTS (
        SELECT FROM messages m
        WHERE m.chat_id = given.chat_id AND m.thread_id = given.thread_id
          AND m.message_id = given.message_id
    )
),
chats AS (
    SELECT chat_id, thread_id, count(*) AS places, max(quiet) AS quiet{TOLD_OF_EACH}
    FROM fresh GROUP BY chat_id, thread_id
),
counted AS (
    INSERT INTO conversations AS c (
        chat_id, thread_id, inbound_seq, event_version, received_version
    )
    SELECT chat_id, thread_id, places, 1, 1 FROM chats
    ORDER BY chat_id, thread_id
    ON CONFLICT (chat_id, thread_id) DO UPDATE
    SET inbound_seq = c.inbound_seq + excluded.inbound_seq,
        event_version = c.event_version + 1, received_version = c.event_version + 1
    RETURNING chat_id, thread_id, inbound_seq, event_version, answered_seq, committed_run, revision
),
stored AS (
    INSERT INTO messages (
        chat_id, thread_id, seq, message_id, text, received_at, sent_at, edited_at, attachments
    )
    SELECT chat_id, thread_id, inbound_seq - places + place, message_id, text, clock.now, sent_at,
        edited_at, attachments
    FROM fresh JOIN chats USING (chat_id, thread_id) JOIN counted USING (chat_id, thread_id), clock
),
used AS (
    DELETE FROM early_edits e USING fresh
    WHERE e.chat_id = fresh.chat_id AND e.thread_id = fresh.thread_id
      AND e.message_id = fresh.message_id
),
-- A window that a run consumed is opened anew; one that closed and waits for a run is joined as
-- it is; an open one slides, never past its cap.
opened AS (
    INSERT INTO windows AS w (chat_id, thread_id, opened_at, closes_at, cap_at)
    SELECT chat_id, thread_id, clock.now,
        clock.now + LEAST(GREATEST(CAST(:quiet AS interval), quiet), CAST(:cap AS interval)),
        clock.now + CAST(:cap AS interval)
    FROM counted JOIN chats USING (chat_id, thread_id), clock
    ON CONFLICT (chat_id, thread_id) DO UPDATE SET
        opened_at = CASE WHEN w.consumed_by IS NULL THEN w.opened_at ELSE excluded.opened_at END,
        closes_at = CASE
            WHEN w.consumed_by IS NOT NULL THEN excluded.closes_at
            WHEN w.closes_at <= excluded.opened_at THEN w.closes_at
            ELSE GREATEST(w.closes_at, LEAST(excluded.closes_at, w.cap_at))
        END,
        cap_at = CASE WHEN w.consumed_by IS NULL THEN w.cap_at ELSE excluded.cap_at END,
        consumed_by = NULL
    RETURNING chat_id, thread_id, due_at, opened_at, closes_at, cap_at
){TOLD_RECEIVED}"""

HISTORY_REPLIES = """
SELECT last_seq, reply FROM runs
WHERE chat_id = :chat_id AND thread_id = :thread_id AND state IN ('sent', 'cancelled')
  AND last_seq > :after_seq AND last_seq <= :answered_seq
ORDER BY number DESC LIMIT :most
"""

REPLIES_BETWEEN = """
SELECT last_seq, reply FROM runs
WHERE chat_id = :chat_id AND thread_id = :thread_id AND state IN ('sent', 'cancelled')
  AND last_seq > :after_seq AND last_seq <= :last_seq
ORDER BY number
"""

MESSAGES_UP_TO = """
SELECT seq, message_id, text, attachments, heard, sent_at FROM messages
WHERE chat_id = :chat_id AND thread_id = :thread_id AND seq > :after_seq AND seq <= :last_seq
ORDER BY seq
"""


@verb
async def receive(
    db: Database,
    messages: Sequence[InboundMessage],
    *,
    quiet: timedelta,
    cap: timedelta,
    now: datetime | None = None,
) -> list[Counted]:
    """Count the messages not seen before; one answer per conversation that got any."""
    arguments = {
        "chat_ids": [message.key.chat_id for message in messages],
        "thread_ids": [message.key.thread_id for message in messages],
        "message_ids": [message.message_id for message in messages],
        "texts": [message.text for message in messages],
        "attachments": [as_json(message.attachments) for message in messages],
        "sent_ats": [message.sent_at for message in messages],
        "quiets": [message.quiet for message in messages],
        "quiet": quiet,
        "cap": cap,
        "now": now,
    }
    try:
        rows = await db.fetch(RECEIVE, arguments)
    except IntegrityError:
        rows = await db.fetch(RECEIVE, arguments)
    return [
        Counted(
            ConversationKey(row.chat_id, row.thread_id),
            Seq(row.inbound_seq),
            row.due_in,
            row.places,
            row.revision,
        )
        for row in rows
    ]


@verb
async def messages_between(
    db: Database, key: ConversationKey, *, after_seq: int, last_seq: int
) -> list[StoredMessage]:
    """The messages above `after_seq`, up to `last_seq`, as counted."""
    rows = await db.fetch(
        MESSAGES_UP_TO, {**key._asdict(), "after_seq": after_seq, "last_seq": last_seq}
    )
    return [
        StoredMessage(
            Seq(row.seq),
            row.message_id,
            row.text,
            from_rows(row.attachments),
            row.heard,
            row.sent_at,
        )
        for row in rows
    ]


@verb
async def last_replies(
    db: Database, key: ConversationKey, *, after_seq: int = 0, answered_seq: int, most: int
) -> list[SentReply]:
    """The newest replies, and stops, that settled messages beyond `after_seq`, oldest first."""
    given = {"after_seq": after_seq, "answered_seq": answered_seq, "most": most}
    rows = await db.fetch(HISTORY_REPLIES, {**key._asdict(), **given})
    return [SentReply(Seq(row.last_seq), row.reply) for row in reversed(rows)]


@verb
async def replies_between(
    db: Database, key: ConversationKey, *, after_seq: int, last_seq: int
) -> list[SentReply]:
    """The replies, and stops, that settled messages up to one in that range."""
    rows = await db.fetch(
        REPLIES_BETWEEN, {**key._asdict(), "after_seq": after_seq, "last_seq": last_seq}
    )
    return [SentReply(Seq(row.last_seq), row.reply) for row in rows]
