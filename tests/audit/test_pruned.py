"""An audit of what is left after pruning, of a reminder, and of what is older than the log."""

import pytest
from alembic import command
from sqlalchemy import text

from storage import schema
from storage.database import Database
from storage.records import Burst
from tests.support.acts import ADA, commit, deliver, finish, must_take, say, take
from tests.support.alembic import alembic
from tests.support.facts import assert_guarantees
from tests.support.one_of_each import one_of_each

# The floor is what replaying the events below it gives.
FORGET_EVENTS = """
INSERT INTO floors (chat_id, thread_id, version, inbound_seq, answered_seq)
SELECT chat_id, thread_id, max(version), COALESCE(max((payload->>'last_seq')::bigint)
    FILTER (WHERE type = 'received'), 0), COALESCE(max((payload->>'answered_seq')::bigint), 0)
FROM events WHERE version <= :version GROUP BY chat_id, thread_id
ON CONFLICT (chat_id, thread_id) DO UPDATE SET version = excluded.version,
    inbound_seq = GREATEST(floors.inbound_seq, excluded.inbound_seq),
    answered_seq = GREATEST(floors.answered_seq, excluded.answered_seq);
DELETE FROM events WHERE version <= :version
"""
FORGET_CONTENT = """
INSERT INTO floors (chat_id, thread_id, content_seq) VALUES (501, 0, :seq);
DELETE FROM messages WHERE chat_id = 501 AND seq <= :seq;
DELETE FROM outbox USING runs WHERE outbox.chat_id = 501 AND runs.chat_id = 501
    AND outbox.run = runs.number AND last_seq <= :seq;
DELETE FROM runs WHERE chat_id = 501 AND last_seq <= :seq
"""
REMIND = """
INSERT INTO runs (chat_id, thread_id, number, holder, kind, state, version, first_seq, last_seq,
    reply, started_at, committed_at)
VALUES (501, 0, 4, 'ada''s', 'reminder', 'committed', :version + 1, 4, 3, 'call Bob', now(), now());
INSERT INTO outbox VALUES (501, 0, 4, 1, 'call Bob', 'pending', 0, NULL, now());
INSERT INTO events (chat_id, thread_id, version, type, payload, run, recorded_at)
VALUES (501, 0, :version + 1, 'run_committed', '{}', 4, now());
UPDATE conversations SET committed_run = 4, deliver_after = now(), lease_fence = 4,
    event_version = :version + 1 WHERE chat_id = 501
"""


async def change(db: Database, sql: str, **arguments: int) -> None:
    async with db.transaction() as connection:
        for statement in sql.split(";"):
            names = {name: value for name, value in arguments.items() if f":{name}" in statement}
            await connection.execute(text(statement), names)


async def version_of_ada(db: Database) -> int:
    sql = "SELECT event_version FROM conversations WHERE chat_id = 501"
    [row] = await db.fetch(sql, {})
    return int(row.event_version)


async def test_g11_a_log_may_begin_anywhere(db: Database) -> None:
    await one_of_each(db)
    for version in range(1, await version_of_ada(db) + 1):
        await change(db, FORGET_EVENTS, version=version)
        await assert_guarantees(db)


@pytest.mark.parametrize("seq", [2, 3])
async def test_g1_messages_may_begin_where_a_reply_ended(db: Database, seq: int) -> None:
    await one_of_each(db)
    await change(db, FORGET_CONTENT, seq=seq)
    await assert_guarantees(db)
    taken = await must_take(db, "ada's", at=42)
    assert await commit(db, taken, at=43)
    await deliver(db, taken, at=44)
    assert await finish(db, taken, at=45)
    await assert_guarantees(db)


async def test_g11_a_reminder_covers_nothing(db: Database) -> None:
    """It is posted while a message waits, and the watermark stays below it."""
    await one_of_each(db)
    await change(db, REMIND, version=await version_of_ada(db))
    await assert_guarantees(db)
    reminding = await must_take(db, "ada's", at=50)
    await assert_guarantees(db)
    await deliver(db, reminding, at=51)
    await say(db, 5, at=51)
    assert await finish(db, reminding, at=52)
    await assert_guarantees(db)
    taken = await must_take(db, "ada's", at=60)
    assert taken.work != reminding.work
    await assert_guarantees(db)


async def test_g11_what_is_older_than_the_log_is_its_floor(db: Database) -> None:
    """Conversations in all states are upgraded, and go on."""
    await one_of_each(db)
    await alembic(db, lambda config: command.downgrade(config, "0001"))
    await schema.upgrade(db)
    await assert_guarantees(db)
    await say(db, 9, at=60)
    await assert_guarantees(db)
    for chat in await db.fetch("SELECT chat_id, thread_id FROM conversations", {}):
        key = ADA._replace(chat_id=chat.chat_id)
        if taken := await take(db, "successor", at=100, key=key):
            await assert_guarantees(db)
            if isinstance(taken.work, Burst):
                assert await commit(db, taken, at=100)
            await deliver(db, taken, at=101)
            assert await finish(db, taken, at=102)
            await assert_guarantees(db)
    assert await db.fetch("SELECT 1 FROM conversations WHERE inbound_seq > answered_seq", {}) == []
