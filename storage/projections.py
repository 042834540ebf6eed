"""Read models: tallies folded from the events, each event exactly once.

A conversation's checkpoint (`projected`) is the last version that was folded. The statement that
adds to the tallies moves it, under its row lock: folding is idempotent, goes on where it stood,
and may be done by any number of processes at once.

A reader of one global sequence must fear the gaps in it: a number drawn earlier may commit later,
and be passed over. Here there are none. An event's version is drawn under the lock of its
conversation's row, which is held until the commit, so a conversation's versions commit in their
order, and whatever a snapshot sees of them has no gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import text

from storage.database import Database
from storage.fragments import CLOCK, GIVEN_CONVERSATIONS
from storage.records import ConversationKey
from storage.tallying import TALLY, contributions

BATCH_EVENTS = 500

# A checkpoint that this statement begins is not in its snapshot: its events come with the next.
FOLD = f"""
WITH {GIVEN_CONVERSATIONS},
begun AS (
    INSERT INTO projected (chat_id, thread_id, version)
    SELECT chat_id, thread_id, COALESCE(f.version, 0)
    FROM given LEFT JOIN floors f USING (chat_id, thread_id)
    WHERE NOT EXISTS (
        SELECT FROM projected p WHERE p.chat_id = given.chat_id AND p.thread_id = given.thread_id
    )
    ORDER BY chat_id, thread_id
    ON CONFLICT DO NOTHING
    RETURNING chat_id, thread_id
),
mine AS MATERIALIZED (
    SELECT p.chat_id, p.thread_id, p.version FROM projected p JOIN given USING (chat_id, thread_id)
    ORDER BY p.chat_id, p.thread_id
    FOR UPDATE OF p SKIP LOCKED
),
unfolded AS MATERIALIZED (
    SELECT e.chat_id, e.thread_id, e.version, e.type, e.payload, e.recorded_at
    FROM mine JOIN events e ON e.chat_id = mine.chat_id AND e.thread_id = mine.thread_id
        AND e.version > mine.version AND e.version <= mine.version + CAST(:most AS bigint)
),
added AS (
    INSERT INTO tallies AS t ({TALLY}, amount)
    SELECT chat_id, thread_id, day, kind, label, false, amount
    FROM ({contributions("unfolded")}) contributed
    ON CONFLICT ({TALLY}) DO UPDATE SET amount = t.amount + excluded.amount
),
moved AS (
    UPDATE projected p SET version = reached.version
    FROM (
        SELECT chat_id, thread_id, max(version) AS version, count(*) AS events
        FROM unfolded GROUP BY chat_id, thread_id
    ) reached
    WHERE p.chat_id = reached.chat_id AND p.thread_id = reached.thread_id
    RETURNING p.chat_id, p.thread_id, reached.events
)
SELECT chat_id, thread_id, COALESCE(moved.events, 0) AS events,
    COALESCE(moved.events = CAST(:most AS bigint), false) AS has_more
FROM mine LEFT JOIN moved USING (chat_id, thread_id)
UNION ALL SELECT chat_id, thread_id, 0, true FROM begun
"""

BEHIND = """
SELECT chat_id, thread_id FROM conversations c LEFT JOIN projected p USING (chat_id, thread_id)
WHERE c.event_version > COALESCE(p.version, 0)
ORDER BY chat_id, thread_id LIMIT :most
"""

LOCK_CHECKPOINTS = f"""
WITH {GIVEN_CONVERSATIONS}
SELECT p.version FROM projected p JOIN given USING (chat_id, thread_id)
ORDER BY p.chat_id, p.thread_id FOR UPDATE OF p
"""

FORGET = f"""
WITH {GIVEN_CONVERSATIONS},
dropped AS (
    DELETE FROM tallies t USING given
    WHERE t.chat_id = given.chat_id AND t.thread_id = given.thread_id AND NOT t.is_pruned
)
UPDATE projected p SET version = COALESCE(f.version, 0)
FROM given LEFT JOIN floors f USING (chat_id, thread_id)
WHERE p.chat_id = given.chat_id AND p.thread_id = given.thread_id
"""

TALLIES = f"""
WITH {CLOCK}
SELECT chat_id, day, kind, label, CAST(sum(amount) AS bigint) AS amount FROM tallies, clock
WHERE day > CAST(clock.now AT TIME ZONE 'UTC' AS date) - CAST(:days AS integer)
GROUP BY chat_id, day, kind, label
ORDER BY day, chat_id, kind, label
"""


@dataclass(frozen=True, slots=True)
class Folded:
    """A conversation whose checkpoint nobody else holds."""

    key: ConversationKey
    events: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """A sum over one user's day."""

    chat_id: int
    day: date
    kind: str
    label: str
    amount: int


def arrays_of(keys: Sequence[ConversationKey]) -> dict[str, list[int]]:
    """The arguments by which a statement is given conversations."""
    return {
        "chat_ids": [key.chat_id for key in keys],
        "thread_ids": [key.thread_id for key in keys],
    }


async def fold(
    db: Database, keys: Sequence[ConversationKey], *, most: int = BATCH_EVENTS
) -> list[Folded]:
    """Fold up to `most` events of each; those that somebody else is folding are left out."""
    rows = await db.fetch(FOLD, {**arrays_of(keys), "most": most})
    return [
        Folded(ConversationKey(row.chat_id, row.thread_id), row.events, row.has_more)
        for row in rows
    ]


async def behind(db: Database, *, most: int) -> list[ConversationKey]:
    """Conversations with events that nobody has folded."""
    rows = await db.fetch(BEHIND, {"most": most})
    return [ConversationKey(row.chat_id, row.thread_id) for row in rows]


async def forget(db: Database, keys: Sequence[ConversationKey]) -> None:
    """Take these back to where their events begin, to be folded anew."""
    arguments = arrays_of(keys)
    async with db.transaction() as connection:
        # Two statements: the second must see the tallies of whoever held a checkpoint until now.
        await connection.execute(text(LOCK_CHECKPOINTS), arguments)
        await connection.execute(text(FORGET), arguments)


async def tallies(db: Database, *, days: int, now: datetime | None = None) -> list[Tally]:
    """What was folded of the last so many days, pruned events included."""
    rows = await db.fetch(TALLIES, {"days": days, "now": now})
    return [Tally(row.chat_id, row.day, row.kind, row.label, row.amount) for row in rows]
