"""An audit of a system at work: no false alarm at any stage, one moment, and nothing written."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from storage import deliveries, leases, outbox, runs
from storage.audit import LOOKS, audit
from storage.audit.check import Finding
from storage.database import Database, Unavailable
from storage.records import Taken
from tests.support.acts import (
    ADA,
    after,
    burst_of,
    commit,
    deliver,
    finish,
    must_take,
    renew,
    say,
)
from tests.support.facts import assert_guarantees

LATER = timedelta(seconds=60)
DUE_LONG_AGO = """
UPDATE windows SET opened_at = now() - interval '9 minutes',
    closes_at = now() - interval '8 minutes', cap_at = now() - interval '7 minutes'
RETURNING chat_id
"""
LEASE = """
UPDATE conversations SET lease_expires_at = now() + CAST(:seconds AS float) * interval '1 second'
RETURNING chat_id
"""
LOCKS = """
SELECT DISTINCT mode FROM pg_locks
WHERE pid = pg_backend_pid() AND locktype NOT IN ('virtualxid')
"""


async def test_an_empty_database_is_clean(db: Database) -> None:
    assert all(finding.is_clean for finding in (await audit(db)).findings)


async def test_no_alarm_while_a_burst_grows_and_is_tried_again(db: Database) -> None:
    await say(db, 1, at=0)
    await assert_guarantees(db)
    first = await must_take(db, "ada's", at=2)
    await assert_guarantees(db)
    await say(db, 2, at=3)
    await assert_guarantees(db)
    assert await runs.supersede(db, first.lease, first.work.run, now=after(3))
    await assert_guarantees(db)
    second = await must_take(db, "ada's", at=5)
    assert await runs.postpone_run(
        db, second.lease, second.work.run, delay=LATER, reason="busy", now=after(6)
    )
    await assert_guarantees(db)
    third = await must_take(db, "ada's", at=66)
    assert await leases.hand_over(db, third.lease, third.work.run, now=after(67))
    await assert_guarantees(db)
    await must_take(db, "ada's", at=68)
    await must_take(db, "bob's", at=168)
    await assert_guarantees(db)
    assert [row.state for row in await db.fetch("SELECT state FROM runs ORDER BY number", {})] == [
        "superseded",
        "postponed",
        "handed_over",
        "lost",
        "generating",
    ]


async def committed(db: Database) -> Taken:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    assert await commit(db, taken, at=3, parts=["one", "two", "three"])
    return taken


async def test_no_alarm_while_a_reply_goes_out(db: Database) -> None:
    taken = await committed(db)
    lease, run = taken.lease, taken.work.run
    await assert_guarantees(db)
    assert await outbox.start_part(db, lease, run, 1, now=after(4))
    await assert_guarantees(db)
    await outbox.record_part(db, lease, run, 1, state="unconfirmed", now=after(5))
    await say(db, 2, at=5)
    await assert_guarantees(db)
    assert await outbox.start_part(db, lease, run, 2, now=after(6))
    await outbox.record_part(db, lease, run, 2, state="pending", now=after(7))
    assert await deliveries.postpone_delivery(db, lease, delay=LATER, reason="busy", now=after(7))
    await assert_guarantees(db)
    again = await must_take(db, "bob's", at=67)
    await assert_guarantees(db)
    await deliver(db, Taken(again.lease, taken.work), at=68)
    await assert_guarantees(db)
    assert await finish(db, again, at=69)
    await assert_guarantees(db)
    assert burst_of(await must_take(db, "bob's", at=70)).answered_seq == 1
    await assert_guarantees(db)


@pytest.mark.parametrize("ends", [True, False])
async def test_no_alarm_after_a_crash(db: Database, *, ends: bool) -> None:
    """Between two statements, with the lease expired or freed, in the middle of a part."""
    taken = await committed(db)
    assert await outbox.start_part(db, taken.lease, taken.work.run, 1, now=after(4))
    await db.fetch(LEASE, {"seconds": -30})
    await assert_guarantees(db)
    await leases.free_leases_of(db, ["ada's"])
    await assert_guarantees(db)
    again = await must_take(db, "bob's", at=50)
    await assert_guarantees(db)
    if ends:
        await deliver(db, Taken(again.lease, taken.work), at=51)
    unreachable = None if ends else "blocked"
    await deliveries.finish(db, again.lease, again.work.run, unreachable=unreachable, now=after(52))
    await assert_guarantees(db)


async def test_no_alarm_when_a_generating_process_is_dead_or_slow(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    await db.fetch(LEASE, {"seconds": -30})
    await assert_guarantees(db)
    assert await renew(db, [taken.lease], at=40)
    await leases.free_leases_of(db, ["ada's"])
    await assert_guarantees(db)
    await say(db, 2, at=41)
    await assert_guarantees(db)
    successor = await must_take(db, "bob's", at=60)
    assert not await commit(db, taken, at=61)
    assert await commit(db, successor, at=61)
    await deliver(db, successor, at=62)
    assert await finish(db, successor, at=63)
    await assert_guarantees(db)


async def late(db: Database) -> Finding:
    [found] = [
        each for each in (await audit(db, late_after=LATER)).findings if each.check.is_warning
    ]
    assert not found.is_broken
    return found


@pytest.mark.parametrize(
    ("lease_seconds", "is_late"), [(None, True), (10, False), (-10, False), (-90, True)]
)
async def test_overdue_work_is_late_not_broken(
    db: Database, lease_seconds: int | None, *, is_late: bool
) -> None:
    await say(db, 1, at=0)
    if lease_seconds is not None:
        await must_take(db, "ada's", at=2)
        await db.fetch(LEASE, {"seconds": lease_seconds})
    await db.fetch(DUE_LONG_AGO, {})
    found = await late(db)
    assert found.checked == 1
    assert [(row["chat_id"], row["seconds"]) for row in found.rows] == (
        [(ADA.chat_id, 480 if lease_seconds is None else 90)] if is_late else []
    )


async def test_an_audit_sees_one_moment(db: Database) -> None:
    await say(db, 1, at=0)
    count = "SELECT count(*) AS messages FROM messages"
    async with db.reading() as fetch:
        assert [row.messages for row in await fetch(count, {})] == [1]
        await say(db, 2, at=1)
        assert [row.messages for row in await fetch(count, {})] == [1]


async def test_an_audit_cannot_write_and_hinders_nobody(db: Database) -> None:
    async with db.reading() as fetch:
        for look in LOOKS:
            await fetch(look.sql, {"late_after": LATER})
        assert [row.mode for row in await fetch(LOCKS, {})] == ["AccessShareLock"]
    with pytest.raises(Unavailable, match="25006"):
        async with db.reading() as fetch:
            await fetch("DELETE FROM windows", {})
    # The connection goes back to the pool as it was.
    await say(db, 1, at=0)
    async with db.transaction() as connection:
        await connection.execute(text("DELETE FROM windows"))
    assert await db.fetch("SHOW transaction_isolation", {}) == [("read committed",)]
