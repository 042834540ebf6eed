"""A verb is done, the answer is lost on the way, and the caller asks again."""

from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from storage import deliveries, leases, outbox, runs
from storage.database import Database, driver_dsn
from storage.model_calls import ModelCall, record_model_call
from storage.records import CommittedReply, Released, Taken
from tests.support.acts import (
    after,
    as_it_stands,
    commit,
    deliver,
    finish,
    must_take,
    renew,
    say,
    take,
)
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn
from tests.support.tables import Rows, all_rows

Verb = Callable[[Database, Taken], Awaitable[object]]
DELAY = timedelta(seconds=5)


async def give_up(db: Database, taken: Taken) -> Released | None:
    run = await as_it_stands(db, taken)
    return await deliveries.finish(db, taken.lease, run, unreachable="blocked", now=after(4))


BEFORE_THE_COMMIT: dict[str, Verb] = {
    "receive": lambda db, _: say(db, 2, 3, at=3),
    "renew": lambda db, taken: renew(db, [taken.lease], at=3),
    "commit": lambda db, taken: commit(db, taken, at=3),
    "supersede": lambda db, taken: runs.supersede(db, taken.lease, taken.work.run, now=after(3)),
    "postpone": lambda db, taken: runs.postpone_run(
        db, taken.lease, taken.work.run, delay=DELAY, reason="busy", now=after(3)
    ),
    "hand over": lambda db, taken: leases.hand_over(db, taken.lease, taken.work.run, now=after(3)),
    "free": lambda db, _: leases.free_leases_of(db, ["ada"]),
}

AFTER_THE_COMMIT: dict[str, Verb] = {
    "renew": lambda db, taken: renew(db, [taken.lease], at=4),
    "start": lambda db, taken: outbox.start_part(
        db, taken.lease, taken.work.run, 2, attempts=0, now=after(4)
    ),
    "record": lambda db, taken: outbox.record_part(
        db, taken.lease, taken.work.run, 1, state="sent", message_id=900, now=after(4)
    ),
    "recut": lambda db, taken: outbox.recut(
        db, taken.lease, taken.work.run, 1, parts=["a", "b", "c"], how="entities", now=after(4)
    ),
    "give up": give_up,
    "postpone": lambda db, taken: deliveries.postpone_delivery(
        db, taken.lease, delay=DELAY, reason="busy", now=after(4)
    ),
    "hand over": lambda db, taken: leases.hand_over_delivery(
        db, taken.lease, taken.work.run, now=after(4)
    ),
    "free": lambda db, _: leases.free_leases_of(db, ["ada"]),
}


async def changes_of_the_second(dsn: str, verb: Callable[[], Awaitable[object]]) -> Rows | None:
    """The tables if asking again changes them."""
    connection = await asyncpg.connect(driver_dsn(dsn))
    try:
        await verb()
        before = await all_rows(connection)
        await verb()
        after_both = await all_rows(connection)
        return None if after_both == before else after_both
    finally:
        await connection.close()


@pytest.mark.parametrize("verb", BEFORE_THE_COMMIT.values(), ids=BEFORE_THE_COMMIT)
async def test_g7_asked_again_before_the_commit(
    db: Database, database_url: str, verb: Verb
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await changes_of_the_second(database_url, lambda: verb(db, taken)) is None


@pytest.mark.parametrize("verb", AFTER_THE_COMMIT.values(), ids=AFTER_THE_COMMIT)
async def test_g7_asked_again_after_the_commit(db: Database, database_url: str, verb: Verb) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    assert await outbox.start_part(db, taken.lease, taken.work.run, 1, now=after(3))
    assert await changes_of_the_second(database_url, lambda: verb(db, taken)) is None


async def test_a_model_call_told_again_is_counted_once(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)

    def tell(number: int) -> Coroutine[Any, Any, bool]:
        call = ModelCall(number, "answered", None, 1, 2, 10, 20, is_estimated=False)
        run = taken.work.run
        return record_model_call(db, taken.lease, run, call, now=after(3))

    assert await changes_of_the_second(database_url, lambda: tell(1)) is None
    assert await tell(2), "another call"


async def test_g7_finish_asked_again(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    await deliver(db, taken, at=3)
    await say(db, 2, at=4)
    assert await changes_of_the_second(database_url, lambda: finish(db, taken, at=4)) is None
    await assert_guarantees(db)


async def test_g7_commit_asked_again_is_still_true(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    committed = await commit(db, taken, at=3)
    assert committed
    await say(db, 2, at=3)
    assert await commit(db, taken, at=3) == committed
    assert await commit(db, taken, at=99) == committed, "expired since, but in the outbox"


async def test_g7_take_asked_again_begins_anew(db: Database) -> None:
    await say(db, 1, at=0)
    lost = await must_take(db, "ada", at=2)
    taken = await must_take(db, "ada", at=3)
    assert taken.lease.fence == lost.lease.fence + 1
    assert not await commit(db, lost, at=4)
    assert await commit(db, taken, at=4)
    await assert_guarantees(db)


async def test_g7_take_asked_again_after_the_commit_brings_the_reply(db: Database) -> None:
    await say(db, 1, at=0)
    lost = await must_take(db, "ada", at=2)
    committed = await commit(db, lost, at=3)
    assert committed
    taken = await must_take(db, "ada", at=4)
    assert taken.work == CommittedReply(committed)
    await deliver(db, taken, at=5)
    assert await finish(db, lost, at=5) is None
    assert await finish(db, taken, at=5)
    await assert_guarantees(db)


async def test_g7_take_asked_again_while_the_first_still_waits(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    first, again = await in_turn(database_url, take(db, "ada", at=2), take(db, "ada", at=2))
    assert first, "but nobody heard of it"
    assert again is None, "it cannot see the run to end it"
    taken = await must_take(db, "ada", at=3)
    await assert_guarantees(db)
    assert await commit(db, taken, at=4)


async def test_g7_commit_asked_again_while_the_first_still_waits(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    first, again = await in_turn(database_url, commit(db, taken, at=3), commit(db, taken, at=3))
    assert first
    assert again == first, "it is in the outbox: nothing was superseded"
    await assert_guarantees(db)


async def test_g7_start_asked_again_while_the_first_still_waits(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    lease, run = taken.lease, taken.work.run
    first, again = await in_turn(
        database_url,
        outbox.start_part(db, lease, run, 1, attempts=0, now=after(4)),
        outbox.start_part(db, lease, run, 1, attempts=0, now=after(4)),
    )
    assert first
    assert again
    assert (await outbox.open_parts(db, lease, run))[0].attempts == 1
