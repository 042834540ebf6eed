"""Prune the log: folded events go, what they added to the tallies stays."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text

from storage.database import Database
from storage.fragments import CLOCK, GIVEN_CONVERSATIONS
from storage.projections import LOCK_CHECKPOINTS, arrays_of
from storage.prune.turn import take_turn
from storage.records import ConversationKey
from storage.tallying import TALLY, contributions

BATCH_EVENTS = 2000
"""Far more than a run has."""

OF_KEPT = "e.chat_id = kept.chat_id AND e.thread_id = kept.thread_id"
OF_BOUND = "e.chat_id = bound.chat_id AND e.thread_id = bound.thread_id"

# `stays_from` is the first version that has to stay for its own sake: young, not folded, or of an
# unanswered message. No run is cut in two, and none that goes on loses its beginning: `whole`
# steps back to where such a run began. LEAST passes over what is NULL.
WHOLE = f"""
bound AS MATERIALIZED (
    SELECT p.chat_id, p.thread_id, p.version AS folded, COALESCE(f.version, 0) AS floor,
        clock.now - CAST(:older_than AS interval) AS cutoff, m.received_at AS unanswered_since,
        c.answered_seq
    FROM given JOIN projected p USING (chat_id, thread_id)
        JOIN conversations c USING (chat_id, thread_id)
        LEFT JOIN floors f USING (chat_id, thread_id)
        LEFT JOIN messages m
            ON m.chat_id = c.chat_id AND m.thread_id = c.thread_id AND m.seq = c.answered_seq + 1,
        clock
),
kept AS MATERIALIZED (
    SELECT chat_id, thread_id, cutoff, LEAST(
        folded + 1,
        floor + CAST(:most AS bigint) + 1,
        (SELECT min(e.version) FROM events e WHERE {OF_BOUND} AND e.recorded_at >= cutoff),
        (SELECT min(e.version) FROM events e
         WHERE {OF_BOUND} AND e.recorded_at >= unanswered_since AND e.type = 'received'
           AND CAST(e.payload ->> 'last_seq' AS bigint) > answered_seq)
    ) AS stays_from
    FROM bound
),
whole AS MATERIALIZED (
    SELECT chat_id, thread_id, cutoff, LEAST(stays_from, (
        SELECT min(e.version) FROM events e JOIN LATERAL (
            SELECT r.number, r.started_at FROM runs r
            WHERE r.chat_id = kept.chat_id AND r.thread_id = kept.thread_id
              AND (r.ended_at IS NULL OR r.version >= kept.stays_from)
            ORDER BY r.number LIMIT 1
        ) r ON e.run = r.number AND e.recorded_at >= r.started_at
        WHERE {OF_KEPT}
    )) AS stays_from
    FROM kept
)"""

# The tallies are locked by their checkpoint, so nobody adds to them meanwhile.
PRUNE_EVENTS = f"""
WITH {CLOCK}, {GIVEN_CONVERSATIONS}, {WHOLE},
removed AS (
    DELETE FROM events e USING whole
    WHERE e.chat_id = whole.chat_id AND e.thread_id = whole.thread_id
      AND e.version < whole.stays_from AND e.recorded_at < whole.cutoff
    RETURNING e.chat_id, e.thread_id, e.version, e.type, e.payload, e.recorded_at
),
contributed AS MATERIALIZED ({contributions("removed")}),
emptied AS (
    DELETE FROM tallies t USING contributed c
    WHERE (t.chat_id, t.thread_id, t.day, t.kind, t.label)
        = (c.chat_id, c.thread_id, c.day, c.kind, c.label)
      AND NOT t.is_pruned AND t.amount = c.amount
),
lowered AS (
    UPDATE tallies t SET amount = t.amount - c.amount FROM contributed c
    WHERE (t.chat_id, t.thread_id, t.day, t.kind, t.label)
        = (c.chat_id, c.thread_id, c.day, c.kind, c.label)
      AND NOT t.is_pruned AND t.amount <> c.amount
),
put_by AS (
    INSERT INTO tallies AS t ({TALLY}, amount)
    SELECT chat_id, thread_id, day, kind, label, true, amount FROM contributed
    ON CONFLICT ({TALLY}) DO UPDATE SET amount = t.amount + excluded.amount
),
raised AS (
    INSERT INTO floors AS f (chat_id, thread_id, version, inbound_seq, answered_seq)
    SELECT chat_id, thread_id, max(version),
        COALESCE(max(CAST(payload ->> 'last_seq' AS bigint)) FILTER (WHERE type = 'received'), 0),
        COALESCE(max(CAST(payload ->> 'answered_seq' AS bigint)), 0)
    FROM removed GROUP BY chat_id, thread_id
    ON CONFLICT (chat_id, thread_id) DO UPDATE SET
        version = excluded.version,
        inbound_seq = GREATEST(f.inbound_seq, excluded.inbound_seq),
        answered_seq = GREATEST(f.answered_seq, excluded.answered_seq)
)
SELECT count(*) FROM removed
"""


async def prune_events(
    db: Database,
    keys: Sequence[ConversationKey],
    *,
    older_than: timedelta,
    most: int = BATCH_EVENTS,
    now: datetime | None = None,
) -> int:
    """Remove up to `most` old events of each; how many went."""
    arguments = {**arrays_of(keys), "older_than": older_than, "most": most, "now": now}
    async with db.transaction() as connection:
        await take_turn(connection)
        # Of its own: the next statement must see the tallies of whoever held a checkpoint.
        await connection.execute(text(LOCK_CHECKPOINTS), arrays_of(keys))
        return int(await connection.scalar(text(PRUNE_EVENTS), arguments) or 0)
