"""Cancel: what was not answered yet will not be, because the person said so."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK
from storage.records import ConversationKey, Fence
from storage.verbs import verb

# The watermark moves over everything that was counted, so a run must cover it: the one that is
# generating, or else one made here. A reply that is committed goes out, and what came after it is
# answered. The statement is undone by nobody: whoever works under the old fence has lost it.
# Rows that were written while this statement waited for the lock cannot be seen from here, so it
# refuses if anything happened since its snapshot (`open`), and is asked again.
TOLD_CANCELLED = told(
    "cancelled",
    "'run_cancelled'",
    """jsonb_build_object(
        'answered_seq', last_seq, 'messages', last_seq - first_seq + 1, 'reason', reason
    )""",
    version="version",
    run="number",
    burst="first_seq",
    cause="cause",
    holder="NULL",
)
CANCEL = f"""
WITH {CLOCK},
seen AS MATERIALIZED (
    SELECT event_version FROM conversations WHERE chat_id = :chat_id AND thread_id = :thread_id
),
open AS (
    SELECT c.* FROM conversations c, seen
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND c.event_version = seen.event_version
    FOR UPDATE OF c
),
done AS (
    INSERT INTO commands_done (chat_id, thread_id, message_id, done_at)
    SELECT :chat_id, :thread_id, :message_id, clock.now FROM clock
    WHERE EXISTS (SELECT FROM open) OR NOT EXISTS (SELECT FROM seen)
    ON CONFLICT (chat_id, thread_id, message_id) DO NOTHING
    RETURNING message_id
),
unanswered AS (
    SELECT open.*, r.version AS run_version
    FROM done, open LEFT JOIN runs r
        ON r.chat_id = open.chat_id AND r.thread_id = open.thread_id
        AND r.number = open.lease_fence AND r.state = 'generating'
    WHERE open.committed_run IS NULL AND open.inbound_seq > open.answered_seq
),
stopped AS (
    UPDATE runs r
    SET state = 'cancelled', version = u.event_version + 1, last_seq = u.inbound_seq,
        reason = CAST(:reason AS text), ended_at = clock.now
    FROM unanswered u, clock
    WHERE r.chat_id = u.chat_id AND r.thread_id = u.thread_id AND r.number = u.lease_fence
      AND u.run_version IS NOT NULL
    RETURNING r.chat_id, r.thread_id, r.number, r.version, r.first_seq, r.last_seq, r.reason,
        u.run_version AS cause
),
made AS (
    INSERT INTO runs (
        chat_id, thread_id, number, holder, state, version, first_seq, last_seq, reason,
        started_at, ended_at
    )
    SELECT chat_id, thread_id, lease_fence + 1, 'the person', 'cancelled', event_version + 1,
        answered_seq + 1, inbound_seq, CAST(:reason AS text), clock.now, clock.now
    FROM unanswered, clock WHERE run_version IS NULL
    RETURNING chat_id, thread_id, number, version, first_seq, last_seq, reason
),
cancelled AS (
    SELECT * FROM stopped
    UNION ALL
    SELECT made.*, received_version FROM made JOIN unanswered USING (chat_id, thread_id)
),
{TOLD_CANCELLED},
settled AS (
    UPDATE conversations c
    SET answered_seq = x.last_seq, event_version = x.version, lease_fence = c.lease_fence + 1,
        lease_holder = NULL, lease_expires_at = NULL, superseded_count = 0, model_attempts = 0,
        reset_seq = CASE WHEN CAST(:reset AS boolean) THEN x.last_seq ELSE c.reset_seq END
    FROM cancelled x WHERE c.chat_id = x.chat_id AND c.thread_id = x.thread_id
),
reset AS (
    UPDATE conversations c SET reset_seq = GREATEST(c.answered_seq, (
        SELECT r.last_seq FROM runs r
        WHERE r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.committed_run
    ))
    FROM done, open
    WHERE c.chat_id = open.chat_id AND c.thread_id = open.thread_id
      AND CAST(:reset AS boolean) AND NOT EXISTS (SELECT FROM cancelled)
),
closed AS (
    DELETE FROM windows w USING cancelled x
    WHERE w.chat_id = x.chat_id AND w.thread_id = x.thread_id
)
SELECT EXISTS (SELECT FROM seen) AND NOT EXISTS (SELECT FROM open) AS is_outrun,
    NOT EXISTS (SELECT FROM done) AS was_done,
    COALESCE((SELECT last_seq - first_seq + 1 FROM cancelled), 0) AS messages,
    (SELECT number FROM stopped) AS fence
"""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a command put an end to."""

    messages: int
    """How many will not be answered."""
    fence: Fence | None
    """That of the run that was under way."""
    was_done: bool = False
    """True if the command came again, and changed nothing."""


@verb
async def cancel_burst(
    db: Database,
    key: ConversationKey,
    message_id: int,
    *,
    reset: bool,
    now: datetime | None = None,
) -> Cancelled:
    """Settle what is unanswered without a reply, once for each command `message_id`.

    `reset`: what was said by then is not shown to the model any more either.
    """
    given = {
        **key._asdict(),
        "message_id": message_id,
        "reset": reset,
        "reason": "reset" if reset else "stop",
        "now": now,
    }
    while True:
        row = await db.fetch_one(CANCEL, given)
        if row and not row.is_outrun:
            return Cancelled(row.messages, row.fence, row.was_done)
