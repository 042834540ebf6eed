"""The person has seen enough of an answer that is being written."""

from datetime import datetime

from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK
from storage.records import ConversationKey, Fence
from storage.verbs import verb

_TOLD_TO_STOP = told(
    "asked",
    "'stop_asked'",
    "'{}'::jsonb",
    run="lease_fence",
    burst="answered_seq + 1",
    cause="run_version",
    holder="NULL",
)
# The run is locked too: only so is its newest state judged when this waits for a commit.
ASK_TO_STOP = f"""
WITH {CLOCK},
writing AS (
    SELECT c.chat_id, c.thread_id, r.version AS run_version
    FROM conversations c JOIN runs r
        ON r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.lease_fence
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND r.state = 'generating' AND c.stop_fence IS DISTINCT FROM c.lease_fence
    FOR UPDATE OF c, r
),
asked AS (
    UPDATE conversations c SET stop_fence = c.lease_fence, event_version = c.event_version + 1
    FROM writing w WHERE c.chat_id = w.chat_id AND c.thread_id = w.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, c.lease_fence, c.answered_seq,
        w.run_version
),
{_TOLD_TO_STOP}
SELECT lease_fence FROM asked
"""


@verb
async def ask_to_stop(
    db: Database, key: ConversationKey, *, now: datetime | None = None
) -> Fence | None:
    """Have the run that is generating keep what it has; None: there is none."""
    row = await db.fetch_one(ASK_TO_STOP, {**key._asdict(), "now": now})
    return None if row is None else Fence(row.lease_fence)
