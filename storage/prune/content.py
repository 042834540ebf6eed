"""Prune what people wrote and what was replied."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text

from storage.audit.check import FINISHED
from storage.database import Database
from storage.fragments import CLOCK, GIVEN_CONVERSATIONS
from storage.projections import arrays_of
from storage.prune.turn import take_turn
from storage.records import ConversationKey

BATCH_REPLIES = 100

OF_LAST = "x.chat_id = last.chat_id AND x.thread_id = last.thread_id"

# Messages and runs go together, up to a finished run and its last message. The newest run stays:
# its number is what a conversation without a lease is known by.
PRUNE_CONTENT = f"""
WITH {CLOCK}, {GIVEN_CONVERSATIONS},
bound AS MATERIALIZED (
    SELECT given.*, clock.now - CAST(:older_than AS interval) AS cutoff FROM given, clock
),
kept AS MATERIALIZED (
    SELECT bound.*,
        LEAST(
            (SELECT max(r.number) FROM runs r
             WHERE r.chat_id = bound.chat_id AND r.thread_id = bound.thread_id),
            (SELECT min(r.number) FROM runs r
             WHERE r.chat_id = bound.chat_id AND r.thread_id = bound.thread_id
               AND (r.ended_at IS NULL OR r.ended_at >= bound.cutoff))
        ) AS from_run,
        (SELECT min(m.seq) FROM messages m
         WHERE m.chat_id = bound.chat_id AND m.thread_id = bound.thread_id
           AND m.received_at >= bound.cutoff) AS from_seq
    FROM bound
),
last AS MATERIALIZED (
    SELECT chat_id, thread_id, max(goes.number) AS number, max(goes.last_seq) AS seq
    FROM kept, LATERAL (
        SELECT r.number, r.last_seq FROM runs r
        WHERE r.chat_id = kept.chat_id AND r.thread_id = kept.thread_id AND r.kind = 'burst'
          AND r.state IN {FINISHED}
          AND r.number < kept.from_run AND r.last_seq < LEAST(kept.from_seq, r.last_seq + 1)
        ORDER BY r.number LIMIT :most
    ) goes
    GROUP BY chat_id, thread_id
),
outbox_gone AS (
    DELETE FROM outbox x USING last WHERE {OF_LAST} AND x.run <= last.number RETURNING x.part
),
runs_gone AS (
    DELETE FROM runs x USING last WHERE {OF_LAST} AND x.number <= last.number RETURNING x.number
),
messages_gone AS (
    DELETE FROM messages x USING last WHERE {OF_LAST} AND x.seq <= last.seq RETURNING x.seq
),
commands_gone AS (
    DELETE FROM commands_done x USING bound
    WHERE x.chat_id = bound.chat_id AND x.thread_id = bound.thread_id AND x.done_at < bound.cutoff
),
cached_gone AS (
    DELETE FROM cached_results x USING kept
    WHERE x.chat_id = kept.chat_id AND x.thread_id = kept.thread_id AND x.made_at < kept.cutoff
    RETURNING x.key
),
raised AS (
    INSERT INTO floors AS f (chat_id, thread_id, content_seq)
    SELECT chat_id, thread_id, seq FROM last
    ON CONFLICT (chat_id, thread_id) DO UPDATE SET content_seq = excluded.content_seq
)
SELECT (SELECT count(*) FROM messages_gone) AS messages, (SELECT count(*) FROM runs_gone) AS runs,
    (SELECT count(*) FROM outbox_gone) AS parts,
    (SELECT count(*) FROM cached_gone) AS cached_results
"""


async def prune_content(
    db: Database,
    keys: Sequence[ConversationKey],
    *,
    older_than: timedelta,
    most: int = BATCH_REPLIES,
    now: datetime | None = None,
) -> dict[str, int]:
    """Remove up to `most` old replies of each, with what they answered; how much went."""
    arguments = {**arrays_of(keys), "older_than": older_than, "most": most, "now": now}
    async with db.transaction() as connection:
        await take_turn(connection)
        removed = await connection.execute(text(PRUNE_CONTENT), arguments)
        return dict(removed.mappings().one())
