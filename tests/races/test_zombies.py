"""A holder that lost its lease wakes up late: whatever it then does changes nothing (G3)."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import asyncpg
import pytest

from storage import deliveries, leases, outbox, runs
from storage.database import Database, driver_dsn
from storage.records import Burst, Released, Taken
from tests.support.acts import (
    TICK,
    after,
    as_it_stands,
    commit,
    deliver,
    finish,
    must_take,
    renew,
    say,
)
from tests.support.tables import all_rows

Situation = Callable[[Database], Awaitable[object]]
Verb = Callable[[Database, Taken], Awaitable[object]]

DELAY = timedelta(seconds=5)
EXPIRY, LATE = 32, 33


async def another_took(db: Database) -> Taken:
    return await must_take(db, "bob", at=EXPIRY)


async def another_committed(db: Database) -> Taken:
    """Or took over what was committed."""
    taken = await another_took(db)
    if isinstance(taken.work, Burst):
        assert await commit(db, taken, at=EXPIRY)
    return taken


async def another_is_sending(db: Database) -> Taken:
    taken = await another_committed(db)
    assert await outbox.start_part(db, taken.lease, taken.work.run, 1, now=after(EXPIRY))
    return taken


async def another_finished(db: Database) -> Taken:
    taken = await another_committed(db)
    await deliver(db, taken, at=EXPIRY)
    assert await finish(db, taken, at=EXPIRY)
    return taken


async def it_was_freed_as_dead(db: Database) -> None:
    assert await leases.free_leases_of(db, ["ada"])


async def its_next_take_was_not_heard_of(db: Database) -> Taken:
    return await must_take(db, "ada", at=LATE)


async def supersede(db: Database, old: Taken) -> Released | None:
    return await runs.supersede(db, old.lease, await as_it_stands(db, old), now=after(LATE))


async def postpone(db: Database, old: Taken) -> Released | None:
    run = await as_it_stands(db, old)
    return await runs.postpone_run(db, old.lease, run, delay=DELAY, reason="busy", now=after(LATE))


async def hand_over(db: Database, old: Taken) -> Released | None:
    return await leases.hand_over(db, old.lease, await as_it_stands(db, old), now=after(LATE))


async def give_up(db: Database, old: Taken) -> Released | None:
    run = await as_it_stands(db, old)
    return await deliveries.finish(db, old.lease, run, unreachable="blocked", now=after(LATE))


SITUATIONS = (
    another_took,
    another_committed,
    another_is_sending,
    another_finished,
    it_was_freed_as_dead,
    its_next_take_was_not_heard_of,
)

VERBS: dict[str, Verb] = {
    "renew": lambda db, old: renew(db, [old.lease], at=LATE),
    "commit": lambda db, old: commit(db, old, at=LATE),
    "supersede": supersede,
    "postpone": postpone,
    "hand over": hand_over,
    "hand over the delivery": lambda db, old: leases.hand_over_delivery(
        db, old.lease, old.work.run, now=after(LATE)
    ),
    "finish": lambda db, old: finish(db, old, at=LATE),
    "give up": give_up,
    "postpone delivery": lambda db, old: deliveries.postpone_delivery(
        db, old.lease, delay=DELAY, reason="busy", now=after(LATE)
    ),
    "start": lambda db, old: outbox.start_part(db, old.lease, old.work.run, 1, now=after(LATE)),
    "recut": lambda db, old: outbox.recut(
        db, old.lease, old.work.run, 1, parts=["a", "b"], how="entities", now=after(LATE)
    ),
    "record": lambda db, old: outbox.record_part(
        db, old.lease, old.work.run, 1, state="sent", message_id=900, now=after(LATE)
    ),
}


@pytest.mark.parametrize("had_committed", [False, True], ids=["generating", "committed"])
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.__name__)
async def test_g3_a_lost_lease_changes_nothing(
    db: Database, database_url: str, situation: Situation, had_committed: bool
) -> None:
    await say(db, 1, at=0)
    old = await must_take(db, "ada", at=2)
    if had_committed:
        assert await commit(db, old, at=3)
    await situation(db)
    connection = await asyncpg.connect(driver_dsn(database_url))
    try:
        before = await all_rows(connection)
        for name, verb in VERBS.items():
            assert not await verb(db, old), name
            assert await all_rows(connection) == before, name
    finally:
        await connection.close()


async def test_g10_only_the_committed_run_can_be_finished(db: Database) -> None:
    await say(db, 1, at=0)
    old = await must_take(db, "ada", at=2)
    new = await another_committed(db)
    assert await deliveries.finish(db, new.lease, old.work.run, now=after(LATE)) is None
    await deliver(db, new, at=LATE)
    assert await finish(db, new, at=LATE)


async def test_g3_a_part_is_not_begun_by_an_expired_lease(db: Database) -> None:
    """Nobody took over yet, but somebody may at any moment."""
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    lease, run = taken.lease, taken.work.run
    assert not await outbox.start_part(db, lease, run, 1, now=after(EXPIRY))
    assert await outbox.start_part(db, lease, run, 1, now=after(EXPIRY - TICK))
