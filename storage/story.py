"""What happened to one burst, as the log and the tables have it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from storage.database import Database, Fetch
from storage.fragments import CLOCK
from storage.records import ConversationKey

SAME_TEXT_WITHIN = timedelta(minutes=2)

KEY = "chat_id = :chat_id AND thread_id = :thread_id"

# What no run has read yet is a burst too: above the watermark or, while a committed reply or a
# final run goes on, above what that one answers.
BURSTS = f"""
WITH here AS (SELECT * FROM conversations WHERE {KEY}),
read AS (
    SELECT correlation_id AS first, max(
            CAST(COALESCE(payload ->> 'last_seq', payload ->> 'answered_seq') AS bigint)
        ) AS last,
        min(recorded_at) AS since
    FROM events WHERE {KEY} AND correlation_id IS NOT NULL
      AND type IN ('run_generating', 'run_cancelled')
    GROUP BY correlation_id
),
in_hand AS (
    SELECT max(r.last_seq) AS last FROM runs r JOIN here USING (chat_id, thread_id)
    WHERE r.kind = 'burst' AND (
        r.number = here.committed_run
        OR r.number = here.lease_fence AND r.state = 'generating'
            AND (SELECT CAST(e.payload ->> 'final' AS boolean) FROM events e
                 WHERE e.chat_id = r.chat_id AND e.thread_id = r.thread_id
                   AND e.version = r.version)
    )
),
waiting AS (
    SELECT GREATEST(answered_seq, (SELECT last FROM in_hand)) + 1 AS first, inbound_seq AS last
    FROM here
),
bursts AS (
    SELECT first, CASE WHEN first = (SELECT w.first FROM waiting w)
        THEN GREATEST(last, (SELECT w.last FROM waiting w)) ELSE last END AS last
    FROM read
    UNION
    SELECT first, last FROM waiting
    WHERE first <= last AND first NOT IN (SELECT read.first FROM read)
)
SELECT first, last, (
    SELECT min(e.recorded_at) FROM events e
    WHERE e.chat_id = :chat_id AND e.thread_id = :thread_id AND e.type = 'received'
      AND CAST(e.payload ->> 'first_seq' AS bigint) <= first
      AND CAST(e.payload ->> 'last_seq' AS bigint) >= first
) AS began_at
FROM bursts ORDER BY first
"""

# A message that came during a final run bears the number of the burst that it came into, not of
# the one it belongs to; so what was received is found by its place as well. Of a lease that was
# freed only the run is known.
EVENTS = f"""
WITH known AS (SELECT * FROM events WHERE {KEY}),
of_burst AS (
    SELECT * FROM known
    WHERE correlation_id = :first OR type = 'received'
      AND CAST(payload ->> 'first_seq' AS bigint) <= :last
      AND CAST(payload ->> 'last_seq' AS bigint) >= :first
)
SELECT version, id, type, payload, causation_id, run, holder, recorded_at AS at FROM of_burst
UNION
SELECT version, id, type, payload, causation_id, run, holder, recorded_at FROM known
WHERE type = 'lease_freed' AND run IN (SELECT run FROM of_burst WHERE run IS NOT NULL)
ORDER BY version
"""

NOW = f"""
WITH {CLOCK}
SELECT clock.now, c.inbound_seq, c.answered_seq, c.lease_holder, c.lease_expires_at,
    c.committed_run, c.deliver_after, w.closes_at, w.retry_at, w.due_at
FROM conversations c LEFT JOIN windows w USING (chat_id, thread_id), clock
WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
"""

SAME_TEXT = """
SELECT a.seq, a.message_id, b.seq AS seq_again, b.message_id AS message_id_again,
    b.received_at - a.received_at AS later
FROM messages a JOIN messages b ON b.chat_id = a.chat_id AND b.thread_id = a.thread_id
    AND b.text = a.text AND b.attachments IS NOT DISTINCT FROM a.attachments AND b.seq > a.seq
    AND b.received_at <= a.received_at + CAST(:within AS interval)
WHERE a.chat_id = :chat_id AND a.thread_id = :thread_id
  AND (a.seq BETWEEN :first AND :last OR b.seq BETWEEN :first AND :last)
ORDER BY a.seq, b.seq
"""


@dataclass(frozen=True, slots=True)
class BurstRange:
    """A burst by its first and last message; `began_at` is not known once that was pruned."""

    first: int
    last: int
    began_at: datetime | None


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log."""

    version: int
    id: UUID
    type: str
    payload: Mapping[str, Any]
    causation_id: UUID | None
    run: int | None
    holder: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class SameText:
    """Two messages that say the same, shortly after each other."""

    seq: int
    message_id: int
    seq_again: int
    message_id_again: int
    later: timedelta


@dataclass(frozen=True, slots=True)
class Standing:
    """How the conversation stands, by PostgreSQL's clock."""

    now: datetime
    inbound_seq: int
    answered_seq: int
    lease_holder: str | None
    lease_expires_at: datetime | None
    committed_run: int | None
    deliver_after: datetime | None
    closes_at: datetime | None
    retry_at: datetime | None
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of one burst, seen in one moment."""

    burst: BurstRange
    others: tuple[BurstRange, ...]
    events: tuple[Event, ...]
    standing: Standing
    same_texts: tuple[SameText, ...]


class Unknown(Exception):
    """There is no such conversation, or no such burst in it."""


async def story_of(
    db: Database, key: ConversationKey, burst: int | None = None, *, now: datetime | None = None
) -> Story:
    """The burst that begins with this message; without one, the newest.

    Raises:
        Unknown: it says in words what is not there.
        Unavailable, Unusable: as for any statement.
    """
    async with db.reading() as fetch:
        standing = await _standing(fetch, key, now)
        rows = await fetch(BURSTS, key._asdict())
        bursts = [BurstRange(**row._asdict()) for row in rows]
        chosen = _chosen(bursts, burst)
        place = {**key._asdict(), "first": chosen.first, "last": chosen.last}
        events = [Event(**row._asdict()) for row in await fetch(EVENTS, place)]
        same_texts = [
            SameText(**row._asdict())
            for row in await fetch(SAME_TEXT, {**place, "within": SAME_TEXT_WITHIN})
        ]
    others = tuple(each for each in bursts if each is not chosen)
    return Story(chosen, others, tuple(events), standing, tuple(same_texts))


async def _standing(fetch: Fetch, key: ConversationKey, now: datetime | None) -> Standing:
    rows = await fetch(NOW, {**key._asdict(), "now": now})
    if not rows:
        raise Unknown(f"chat {key.chat_id}, thread {key.thread_id}: nothing was ever received")
    return Standing(**rows[0]._asdict())


def _chosen(bursts: list[BurstRange], burst: int | None) -> BurstRange:
    if not bursts:
        raise Unknown("no burst of this chat is in the log (any more)")
    if burst is None:
        return bursts[-1]
    for each in bursts:
        if each.first == burst:
            return each
    known = ", ".join(str(each.first) for each in bursts)
    raise Unknown(f"no burst begins with message {burst}; these do: {known}")
