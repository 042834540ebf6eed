"""Reminders: set once, posted to the outbox when due, delivered as replies are."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK
from storage.records import ConversationKey
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder that waits for its time."""

    number: int
    text: str
    due_at: datetime


_SET = told(
    "numbered",
    "'reminder_set'",
    """jsonb_build_object(
        'number', number,
        'due_in_ms', CAST(1000 * EXTRACT(EPOCH FROM due_at - clock.now) AS bigint)
    )""",
    holder="NULL",
)
SET = f"""
WITH {CLOCK},
open AS (
    SELECT chat_id, thread_id FROM conversations
    WHERE chat_id = :chat_id AND thread_id = :thread_id FOR UPDATE
),
made AS (
    INSERT INTO reminders (chat_id, thread_id, number, key, text, due_at)
    SELECT chat_id, thread_id, 1 + COALESCE((
            SELECT max(number) FROM reminders r
            WHERE r.chat_id = open.chat_id AND r.thread_id = open.thread_id
        ), 0), :key, :text,
        COALESCE(CAST(:due_at AS timestamptz), clock.now + CAST(:due_in AS interval))
    FROM open, clock
    ON CONFLICT DO NOTHING
    RETURNING chat_id, thread_id, number, due_at
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM made WHERE c.chat_id = made.chat_id AND c.thread_id = made.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, number, due_at
),
{_SET}
SELECT number, due_at FROM made
UNION ALL
SELECT number, due_at FROM reminders
WHERE chat_id = :chat_id AND thread_id = :thread_id AND key = :key
"""

_CANCELLED = told(
    "numbered",
    "'reminder_cancelled'",
    "jsonb_build_object('number', number)",
    holder="NULL",
)
CANCEL = f"""
WITH {CLOCK},
open AS (
    SELECT chat_id, thread_id FROM conversations
    WHERE chat_id = :chat_id AND thread_id = :thread_id FOR UPDATE
),
cancelled AS (
    UPDATE reminders r SET state = 'cancelled'
    FROM open WHERE r.chat_id = open.chat_id AND r.thread_id = open.thread_id
      AND r.state = 'waiting'
      AND (r.number = CAST(:number AS bigint) OR r.key = CAST(:key AS text))
    RETURNING r.chat_id, r.thread_id, r.number, r.text, r.due_at
),
before AS (
    SELECT number, text, due_at FROM reminders
    WHERE chat_id = :chat_id AND thread_id = :thread_id AND state = 'cancelled'
      AND (number = CAST(:number AS bigint) OR key = CAST(:key AS text))
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM cancelled WHERE c.chat_id = cancelled.chat_id AND c.thread_id = cancelled.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, number
),
{_CANCELLED}
SELECT number, text, due_at FROM cancelled UNION ALL SELECT * FROM before
"""

WAITING = """
SELECT number, text, due_at FROM reminders
WHERE chat_id = :chat_id AND thread_id = :thread_id AND state = 'waiting'
ORDER BY due_at, number
"""

# A reminder waits while its conversation is being answered: then it is the next to go out. A run
# whose holder died must first be taken up again by its own number, which a reminder would raise.
_POSTED = told(
    "numbered",
    "'run_committed'",
    "jsonb_build_object('parts', 1, 'length', length(text), 'reminder', number)",
    run="lease_fence",
    holder="NULL",
)
POST_DUE = f"""
WITH {CLOCK},
due AS (
    SELECT c.chat_id, c.thread_id, m.number, m.text
    FROM reminders m JOIN conversations c USING (chat_id, thread_id), clock
    WHERE m.state = 'waiting' AND m.due_at <= clock.now
      AND c.lease_holder IS NULL AND c.committed_run IS NULL
      AND NOT EXISTS (
          SELECT FROM reminders earlier
          WHERE earlier.chat_id = m.chat_id AND earlier.thread_id = m.thread_id
            AND earlier.state = 'waiting'
            AND (earlier.due_at, earlier.number) < (m.due_at, m.number)
      )
      AND NOT EXISTS (
          SELECT FROM runs r
          WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id
            AND r.number = c.lease_fence AND r.state = 'generating'
      )
    ORDER BY m.due_at LIMIT :most
    FOR UPDATE OF c, m SKIP LOCKED
),
numbered AS (
    UPDATE conversations c
    SET lease_fence = c.lease_fence + 1, committed_run = c.lease_fence + 1,
        deliver_after = clock.now, event_version = c.event_version + 1
    FROM due, clock WHERE c.chat_id = due.chat_id AND c.thread_id = due.thread_id
    RETURNING c.chat_id, c.thread_id, c.lease_fence, c.answered_seq, c.event_version, due.number,
        due.text
),
begun AS (
    INSERT INTO runs (
        chat_id, thread_id, number, holder, kind, state, version, first_seq, last_seq, reply,
        started_at, committed_at
    )
    SELECT chat_id, thread_id, lease_fence, :holder, 'reminder', 'committed', event_version,
        answered_seq + 1, answered_seq, text, clock.now, clock.now
    FROM numbered, clock
    RETURNING chat_id, thread_id, number, reply
),
in_outbox AS (
    INSERT INTO outbox (chat_id, thread_id, run, part, text, changed_at)
    SELECT chat_id, thread_id, number, 1, reply, clock.now FROM begun, clock
),
posted AS (
    UPDATE reminders m SET state = 'posted', run = numbered.lease_fence
    FROM numbered
    WHERE m.chat_id = numbered.chat_id AND m.thread_id = numbered.thread_id
      AND m.number = numbered.number
),
{_POSTED}
SELECT chat_id, thread_id FROM numbered
"""


@verb
async def set_reminder(
    db: Database,
    conversation: ConversationKey,
    *,
    key: str,
    text: str,
    due_at: datetime | None = None,
    due_in: timedelta | None = None,
    now: datetime | None = None,
) -> Reminder:
    """Keep a text for later; again with the same `key` gives the reminder that is there."""
    given = {"key": key, "text": text, "due_at": due_at, "due_in": due_in, "now": now}
    arguments = {**conversation._asdict(), **given}
    # Without a row a number was drawn twice at the same moment; the next look sees the other.
    rows = await db.fetch(SET, arguments) or await db.fetch(SET, arguments)
    return Reminder(rows[0].number, text, rows[0].due_at)


@verb
async def cancel_reminder(
    db: Database,
    conversation: ConversationKey,
    *,
    number: int | None = None,
    key: str | None = None,
    now: datetime | None = None,
) -> Reminder | None:
    """Cancel a reminder by its number or key, again if need be; None: there is none that waits."""
    given = {**conversation._asdict(), "number": number, "key": key, "now": now}
    row = await db.fetch_one(CANCEL, given)
    return None if row is None else Reminder(row.number, row.text, row.due_at)


@verb
async def waiting_reminders(db: Database, conversation: ConversationKey) -> list[Reminder]:
    """What is still to come, the next first."""
    rows = await db.fetch(WAITING, conversation._asdict())
    return [Reminder(row.number, row.text, row.due_at) for row in rows]


@verb
async def post_due_reminders(
    db: Database, *, holder: str, most: int, now: datetime | None = None
) -> list[ConversationKey]:
    """Put due reminders into the outboxes of conversations at rest, one each."""
    rows = await db.fetch(POST_DUE, {"holder": holder, "most": most, "now": now})
    return [ConversationKey(row.chat_id, row.thread_id) for row in rows]
