"""Claims on effects: of two runs that want the same one, one carries it out.

A claim is an insert under the conversation's row lock by the holder of the reply lease: of two
runs one wins, and the other sees what became of it. `fence` is the claimant's; whoever takes over
an unfinished claim raises it, so that the earlier claimant can record nothing any more.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.effects import EffectState
from storage.events import told
from storage.fragments import CLOCK, FENCED
from storage.records import Burst, Fence, Lease
from storage.transitions import fenced
from storage.verbs import verb

NO_FENCE = Fence(0)


@dataclass(frozen=True, slots=True)
class Claim:
    """An effect that was claimed now (`is_won`), or what is known of it."""

    is_won: bool
    state: EffectState = "processing"
    result: str = ""
    holder: str | None = None
    fence: Fence = NO_FENCE
    expires_in: float = 0.0
    """Seconds until the claimant's time for it is up."""


_STARTED = told(
    "numbered",
    "'tool_started'",
    "jsonb_build_object('tool', tool, 'key', key, 'again', again)",
    run=":fence",
    burst="burst",
    cause="CAST(:version AS bigint)",
)
_SEEN = """SELECT was_ours, e.state, e.result, e.holder, e.fence,
    CAST(EXTRACT(EPOCH FROM e.expires_at - clock.now) AS float) AS expires_in
FROM (SELECT EXISTS (SELECT FROM fenced) AS was_ours) judged LEFT JOIN effects e
    ON e.chat_id = :chat_id AND e.thread_id = :thread_id AND e.key = :key, clock"""

# A claim that is ours already is one whose making we never heard of.
CLAIM = f"""
WITH {CLOCK}, {FENCED},
claimed AS (
    INSERT INTO effects (
        chat_id, thread_id, key, burst, place, last_seq, tool, arguments, can_be_undone, holder,
        fence, expires_at, started_at
    )
    SELECT chat_id, thread_id, :key, :burst, 1 + (
            SELECT count(*) FROM effects e
            WHERE e.chat_id = fenced.chat_id AND e.thread_id = fenced.thread_id
              AND e.burst = :burst
        ), :last_seq, :tool, CAST(:arguments AS jsonb), :can_be_undone, :holder, :fence,
        clock.now + CAST(:time_limit AS interval), clock.now
    FROM fenced, clock WHERE fenced.lease_expires_at > clock.now
    ON CONFLICT (chat_id, thread_id, key) DO NOTHING
    RETURNING chat_id, thread_id, key, burst, tool, false AS again
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM claimed WHERE c.chat_id = claimed.chat_id AND c.thread_id = claimed.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, key, burst, tool, again
),
{_STARTED}
SELECT seen.*, EXISTS (SELECT FROM claimed)
    OR (state = 'processing' AND fence = :fence AND holder = :holder) IS TRUE AS is_won
FROM ({_SEEN}) seen
"""

# One that is ours already is one whose taking over we never heard of. Whoever closed it did so
# before this end of it was known.
TAKE_OVER = f"""
WITH {CLOCK}, {FENCED},
claimed AS (
    UPDATE effects e
    SET holder = :holder, fence = :fence, started_at = clock.now, closed_at = NULL,
        expires_at = clock.now + CAST(:time_limit AS interval)
    FROM fenced, clock
    WHERE e.chat_id = fenced.chat_id AND e.thread_id = fenced.thread_id AND e.key = :key
      AND e.state = 'processing' AND e.fence IN (:last_fence, :fence)
      AND fenced.lease_expires_at > clock.now
    RETURNING e.chat_id, e.thread_id, e.key, e.burst, e.tool, true AS again
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM claimed WHERE c.chat_id = claimed.chat_id AND c.thread_id = claimed.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version, key, burst, tool, again
),
{_STARTED}
SELECT key FROM claimed
"""


@verb
async def claim_effect(
    db: Database,
    lease: Lease,
    burst: Burst,
    *,
    key: str,
    tool: str,
    arguments: str,
    can_be_undone: bool,
    time_limit: timedelta,
    now: datetime | None = None,
) -> Claim | None:
    """Claim an effect that nobody claimed, or see what became of it; None: the lease is lost."""
    given = {
        **fenced(lease),
        "key": key,
        "burst": burst.answered_seq + 1,
        "last_seq": burst.last_seq,
        "version": burst.run.version,
        "tool": tool,
        "arguments": arguments,
        "can_be_undone": can_be_undone,
        "time_limit": time_limit,
        "now": now,
    }
    row = await db.fetch_one(CLAIM, given)
    if row is None or not row.was_ours:
        return None
    if row.is_won:
        return Claim(is_won=True)
    if row.state is None:
        # Either the lease has expired, or another claim was being made when this one looked.
        again = await db.fetch_one(CLAIM, given)
        return _as_seen(again) if again and again.was_ours and again.state is not None else None
    return _as_seen(row)


@verb
async def take_over_effect(
    db: Database,
    lease: Lease,
    burst: Burst,
    *,
    key: str,
    last_fence: Fence,
    time_limit: timedelta,
    now: datetime | None = None,
) -> bool:
    """Take over the claim of a run that is no more; False: it was settled, or the lease is lost."""
    given = {
        **fenced(lease),
        "key": key,
        "last_fence": last_fence,
        "version": burst.run.version,
        "time_limit": time_limit,
        "now": now,
    }
    return await db.fetch_one(TAKE_OVER, given) is not None


def _as_seen(row: Row[Any]) -> Claim:
    if row.is_won:
        return Claim(is_won=True)
    return Claim(
        is_won=False,
        state=row.state,
        result=row.result or "",
        holder=row.holder,
        fence=Fence(row.fence),
        expires_in=row.expires_in or 0.0,
    )
