"""The ledger of what tools did: how each effect ended, once it is claimed (see `claims`)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from storage.database import Database
from storage.events import told
from storage.fragments import CLOCK, FENCED
from storage.records import Burst, ConversationKey, Lease, Seq
from storage.transitions import fenced
from storage.verbs import verb

EffectState = Literal["processing", "done", "failed", "unknown", "to_undo", "undone", "not_undone"]


@dataclass(frozen=True, slots=True)
class Effect:
    """A call of a tool that was made for a burst."""

    key: str
    tool: str
    arguments: str
    result: str
    last_seq: Seq
    """The newest message that the run knew when it called."""
    is_settled: bool = True
    """Whether its result is recorded; if not, the run that called may be no more."""


NO_UNDO = "the tool declares no undo"

_SETTLED = told(
    "numbered",
    "'tool_called'",
    "jsonb_build_object('tool', tool, 'key', key, 'outcome', CAST(:outcome AS text), 'ms', ms)",
    run="fence",
    burst="burst",
    holder="holder",
)
# What happened is recorded even when the reply lease is gone, unless somebody took the claim over.
# If its burst has got an apology meanwhile, it is to be undone, as what was recorded before it: the
# runs are locked before they are judged, since that may have been while this waited.
SETTLE = f"""
WITH {CLOCK},
open AS (
    SELECT chat_id, thread_id FROM conversations
    WHERE chat_id = :chat_id AND thread_id = :thread_id FOR UPDATE
),
claimed AS (
    SELECT e.chat_id, e.thread_id, e.key, e.burst, e.can_be_undone
    FROM effects e JOIN open USING (chat_id, thread_id)
    WHERE e.key = :key AND e.state = 'processing' AND e.fence = :fence
    FOR UPDATE OF e
),
answers AS (
    SELECT r.state, r.reason FROM runs r JOIN claimed USING (chat_id, thread_id)
    WHERE r.kind = 'burst' AND r.first_seq = claimed.burst
    FOR UPDATE OF r
),
found AS (
    SELECT claimed.*, CASE
        WHEN CAST(:state AS text) <> 'done' OR NOT EXISTS (
            SELECT FROM answers WHERE state IN ('committed', 'failed') AND reason IS NOT NULL
        ) THEN CAST(:state AS text)
        WHEN can_be_undone THEN 'to_undo' ELSE 'not_undone' END AS state
    FROM claimed
),
settled AS (
    UPDATE effects e
    SET state = found.state, result = :result, ended_at = clock.now, expires_at = NULL,
        closed_at = NULL,
        undo_due_at = CASE found.state WHEN 'to_undo' THEN clock.now END,
        undo_error = CASE found.state WHEN 'not_undone' THEN '{NO_UNDO}' END
    FROM found, clock
    WHERE e.chat_id = found.chat_id AND e.thread_id = found.thread_id AND e.key = found.key
    RETURNING e.chat_id, e.thread_id, e.key, e.burst, e.tool, e.fence, e.holder,
        CAST(1000 * EXTRACT(EPOCH FROM e.ended_at - e.started_at) AS bigint) AS ms
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM settled WHERE c.chat_id = settled.chat_id AND c.thread_id = settled.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, key, burst, tool, fence, holder, ms
),
{_SETTLED}
SELECT key FROM settled
"""

_REPLAYED = told(
    "numbered",
    "'tool_called'",
    """jsonb_build_object(
        'tool', CAST(:tool AS text), 'key', CAST(:key AS text), 'outcome', 'replayed'
    )""",
    run=":fence",
    burst="CAST(:burst AS bigint)",
    cause="CAST(:version AS bigint)",
)
REPLAY = f"""
WITH {CLOCK}, {FENCED},
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM fenced WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version
),
{_REPLAYED}
SELECT event_version FROM numbered
"""

OF_BURST = """
SELECT key, tool, CAST(arguments AS text) AS arguments, result, last_seq,
    state <> 'processing' AS is_settled
FROM effects
WHERE chat_id = :chat_id AND thread_id = :thread_id AND burst = :burst
ORDER BY place
"""


@verb
async def settle_effect(
    db: Database,
    lease: Lease,
    *,
    key: str,
    state: EffectState,
    result: str,
    outcome: str,
    now: datetime | None = None,
) -> bool:
    """Record how a claimed effect ended; False: somebody else took the claim over."""
    given = {
        **lease.key._asdict(),
        "fence": lease.fence,
        "key": key,
        "state": state,
        "result": result,
        "outcome": outcome,
        "now": now,
    }
    return await db.fetch_one(SETTLE, given) is not None


@verb
async def replay_effect(
    db: Database,
    lease: Lease,
    burst: Burst,
    *,
    key: str,
    tool: str,
    now: datetime | None = None,
) -> bool:
    """Log that a recorded result was given instead of a second effect."""
    given = {
        **fenced(lease),
        "key": key,
        "tool": tool,
        "burst": burst.answered_seq + 1,
        "version": burst.run.version,
        "now": now,
    }
    return await db.fetch_one(REPLAY, given) is not None


@verb
async def effects_of_burst(db: Database, key: ConversationKey, burst: int) -> list[Effect]:
    """What tools did, or began, for the burst that begins with message `burst`, in order."""
    rows = await db.fetch(OF_BURST, {**key._asdict(), "burst": burst})
    return [
        Effect(
            row.key, row.tool, row.arguments, row.result or "", Seq(row.last_seq), row.is_settled
        )
        for row in rows
    ]
