"""How a run goes on and ends. Every statement is fenced by the lease."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from storage.database import Database
from storage.fragments import CLOCK, FENCED, WAITING_AGAIN
from storage.leases import fenced
from storage.records import Burst, Lease, Released, RunNumber
from storage.verbs import verb

# Under the row lock: is the fence mine and unexpired, and is the counter still what I read (or the
# run final)? The last SELECT answers a caller who asks again because the first answer was lost on
# the way; it reads the locked row, since the first one may have been done while this one waited.
COMMIT = f"""
WITH {CLOCK}, {FENCED},
committed AS (
    UPDATE conversations c SET committed_run = :run, deliver_after = clock.now
    FROM fenced, clock
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.lease_expires_at > clock.now
      AND fenced.committed_run IS NULL
      AND (fenced.inbound_seq = :last_seq OR clock.now >= CAST(:final_at AS timestamptz))
    RETURNING c.chat_id, c.thread_id
),
closed AS (
    UPDATE runs r
    SET state = 'committed', committed_at = clock.now, reply = CAST(:reply AS text),
        reason = CAST(:reason AS text)
    FROM committed, clock
    WHERE r.chat_id = committed.chat_id AND r.thread_id = committed.thread_id
      AND r.number = :run
),
posted AS (
    INSERT INTO outbox (chat_id, thread_id, run, part, text, changed_at)
    SELECT chat_id, thread_id, :run, part.number, part.text, clock.now
    FROM committed, clock, unnest(CAST(:parts AS text[])) WITH ORDINALITY AS part(text, number)
)
SELECT chat_id FROM committed
UNION ALL
SELECT chat_id FROM fenced WHERE committed_run = :run
"""

SUPERSEDE = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c
    SET superseded_count = c.superseded_count + 1, lease_holder = NULL, lease_expires_at = NULL
    FROM fenced
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run IS NULL
    RETURNING c.chat_id, c.thread_id, c.committed_run
),
{WAITING_AGAIN},
ended AS (
    UPDATE runs r SET state = 'superseded', ended_at = clock.now
    FROM freed, clock
    WHERE r.chat_id = freed.chat_id AND r.thread_id = freed.thread_id AND r.number = :run
)
SELECT CAST(EXTRACT(EPOCH FROM w.due_at - clock.now) AS float) AS due_in
FROM freed LEFT JOIN windows w USING (chat_id, thread_id), clock
"""

POSTPONE_RUN = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c
    SET model_attempts = c.model_attempts + 1, lease_holder = NULL, lease_expires_at = NULL
    FROM fenced
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run IS NULL
    RETURNING c.chat_id, c.thread_id
),
ended AS (
    UPDATE runs r
    SET state = 'postponed', ended_at = clock.now, reason = CAST(:reason AS text)
    FROM freed, clock
    WHERE r.chat_id = freed.chat_id AND r.thread_id = freed.thread_id AND r.number = :run
),
waiting AS (
    UPDATE windows w SET retry_at = clock.now + CAST(:delay AS interval), consumed_by = NULL
    FROM freed, clock
    WHERE w.chat_id = freed.chat_id AND w.thread_id = freed.thread_id
    RETURNING w.due_at
)
SELECT CAST(EXTRACT(EPOCH FROM due_at - clock.now) AS float) AS due_in FROM waiting, clock
"""

# The watermark, the run, the window and the lease change together. A window that was opened
# during the run stays, and its due time goes back to the caller: nothing is stranded.
FINISH = f"""
WITH {CLOCK}, {FENCED},
finished AS (
    UPDATE conversations c
    SET answered_seq = r.last_seq, committed_run = NULL, deliver_after = NULL,
        superseded_count = 0, model_attempts = 0, lease_holder = NULL, lease_expires_at = NULL
    FROM fenced JOIN runs r USING (chat_id, thread_id)
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run = :run AND r.number = :run
    RETURNING c.chat_id, c.thread_id, c.inbound_seq, c.answered_seq
),
ended AS (
    UPDATE runs r
    SET ended_at = clock.now, reason = COALESCE(CAST(:unreachable AS text), r.reason),
        state = CASE WHEN CAST(:unreachable AS text) IS NOT NULL THEN 'undeliverable'
                     WHEN r.reason IS NOT NULL THEN 'failed' ELSE 'sent' END
    FROM finished, clock
    WHERE r.chat_id = finished.chat_id AND r.thread_id = finished.thread_id AND r.number = :run
),
given_up AS (
    UPDATE outbox o SET state = 'refused', changed_at = clock.now
    FROM finished, clock
    WHERE o.chat_id = finished.chat_id AND o.thread_id = finished.thread_id
      AND o.run = :run AND o.state IN ('pending', 'sending')
),
cleared AS (
    DELETE FROM windows w USING finished
    WHERE w.chat_id = finished.chat_id AND w.thread_id = finished.thread_id
      AND finished.inbound_seq = finished.answered_seq
)
SELECT CASE WHEN inbound_seq > answered_seq
    THEN CAST(EXTRACT(EPOCH FROM w.due_at - clock.now) AS float) END AS due_in
FROM finished LEFT JOIN windows w USING (chat_id, thread_id), clock
"""

POSTPONE_DELIVERY = f"""
WITH {CLOCK}, {FENCED},
freed AS (
    UPDATE conversations c
    SET deliver_after = clock.now + CAST(:delay AS interval),
        lease_holder = NULL, lease_expires_at = NULL
    FROM fenced, clock
    WHERE c.chat_id = fenced.chat_id AND c.thread_id = fenced.thread_id
      AND fenced.committed_run IS NOT NULL
    RETURNING c.deliver_after
)
SELECT CAST(EXTRACT(EPOCH FROM deliver_after - clock.now) AS float) AS due_in FROM freed, clock
"""


@verb
async def commit_reply(
    db: Database,
    lease: Lease,
    burst: Burst,
    *,
    reply: str,
    parts: Sequence[str],
    failure: str | None = None,
    now: datetime | None = None,
) -> bool:
    """Put the reply into the outbox, if the lease holds and the burst has not grown.

    `failure` says why the reply is an apology. False: superseded or lost; nothing has changed.
    """
    arguments = {
        **fenced(lease),
        "run": burst.run,
        "last_seq": burst.last_seq,
        "final_at": burst.final_at,
        "reply": reply,
        "parts": list(parts),
        "reason": failure,
        "now": now,
    }
    return await db.fetch_one(COMMIT, arguments) is not None


@verb
async def supersede(
    db: Database, lease: Lease, run: RunNumber, *, now: datetime | None = None
) -> Released | None:
    """Drop an uncommitted run whose burst grew; None: the lease is not ours any more."""
    return _released(await db.fetch_one(SUPERSEDE, {**fenced(lease), "run": run, "now": now}))


@verb
async def postpone_run(
    db: Database,
    lease: Lease,
    run: RunNumber,
    *,
    delay: timedelta,
    reason: str,
    now: datetime | None = None,
) -> Released | None:
    """Count a failed attempt and make the burst due again after `delay`."""
    arguments = {**fenced(lease), "run": run, "delay": delay, "reason": reason, "now": now}
    return _released(await db.fetch_one(POSTPONE_RUN, arguments))


@verb
async def finish(
    db: Database,
    lease: Lease,
    run: RunNumber,
    *,
    unreachable: str | None = None,
    now: datetime | None = None,
) -> Released | None:
    """Move the watermark over a committed run and release the lease, all at once.

    `unreachable` says why the chat cannot be reached; what has not gone out is given up.
    """
    arguments = {**fenced(lease), "run": run, "unreachable": unreachable, "now": now}
    return _released(await db.fetch_one(FINISH, arguments))


@verb
async def postpone_delivery(
    db: Database, lease: Lease, *, delay: timedelta, now: datetime | None = None
) -> Released | None:
    """Keep the committed reply for later and release the lease."""
    arguments = {**fenced(lease), "delay": delay, "now": now}
    return _released(await db.fetch_one(POSTPONE_DELIVERY, arguments))


def _released(row: Row[Any] | None) -> Released | None:
    return None if row is None else Released(row.due_in)
