"""A message is being counted at the very moment a run takes, commits, finishes or lets go."""

from datetime import timedelta

import pytest

from storage import deliveries, leases, runs
from storage.database import Database
from storage.records import Released
from tests.support.acts import (
    TICK,
    after,
    burst_of,
    commit,
    deliver,
    finish,
    must_take,
    say,
    take,
)
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn


async def test_g4_a_message_just_before_the_close_keeps_the_take_away(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    said, taken = await in_turn(database_url, say(db, 2, at=2 - TICK), take(db, "ada", at=2))
    assert [counted.due_in for counted in said] == [2]
    assert taken is None
    assert burst_of(await must_take(db, "ada", at=4)).last_seq == 2


async def test_g4_a_message_just_after_the_close_joins_the_burst(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    said, taken = await in_turn(database_url, say(db, 2, at=2), take(db, "ada", at=2))
    assert said
    assert taken
    assert burst_of(taken).last_seq == 2
    assert await commit(db, taken, at=3)


async def test_g4_a_message_just_after_the_take_opens_a_new_window(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken, said = await in_turn(database_url, take(db, "ada", at=2), say(db, 2, at=2))
    [counted] = said
    assert counted.due_in == 2
    assert taken
    assert burst_of(taken).last_seq == 1
    assert not await commit(db, taken, at=3)


async def test_g1_a_message_just_before_the_commit_supersedes_the_run(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    said, committed = await in_turn(database_url, say(db, 2, at=3), commit(db, taken, at=3))
    assert said
    assert not committed
    assert await runs.supersede(db, taken.lease, taken.work.run, now=after(3)) == Released(2.0)
    assert burst_of(await must_take(db, "ada", at=5)).last_seq == 2


async def test_g1_a_message_just_after_the_commit_waits_for_the_next_cycle(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    committed, said = await in_turn(database_url, commit(db, taken, at=3), say(db, 2, at=3))
    assert said
    assert committed
    assert await finish(db, taken, at=4) == Released(1.0)
    assert burst_of(await must_take(db, "ada", at=5)).answered_seq == 1


async def test_g5_a_message_just_before_the_commit_of_a_final_run_waits(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=60)
    said, committed = await in_turn(database_url, say(db, 2, at=61), commit(db, taken, at=61))
    assert said
    assert committed
    assert await finish(db, taken, at=62) == Released(1.0)


async def test_g6_a_message_just_before_the_finish_is_not_stranded(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    await deliver(db, taken, at=3)
    said, finished = await in_turn(database_url, say(db, 2, at=4), finish(db, taken, at=4))
    assert said
    assert finished
    assert finished.due_in is not None, "somebody has to be woken"
    await assert_guarantees(db)
    assert await take(db, "ada", at=6 - TICK) is None
    assert burst_of(await must_take(db, "ada", at=6)).last_seq == 2


async def test_g6_a_message_just_after_the_finish_opens_a_new_window(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    await deliver(db, taken, at=3)
    finished, said = await in_turn(database_url, finish(db, taken, at=4), say(db, 2, at=4))
    assert finished == Released(None)
    assert [counted.due_in for counted in said] == [2]
    assert burst_of(await must_take(db, "ada", at=6)).answered_seq == 1


@pytest.mark.parametrize("is_message_first", [True, False])
@pytest.mark.parametrize("end", ["supersede", "postpone_run", "hand_over", "postpone_delivery"])
async def test_g6_a_message_while_the_lease_is_let_go_is_not_stranded(
    db: Database, database_url: str, end: str, is_message_first: bool
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    lease, run, now = taken.lease, taken.work.run, after(3)
    if end == "postpone_delivery":
        assert await commit(db, taken, at=3)
    ends = {
        "supersede": lambda: runs.supersede(db, lease, run, now=now),
        "postpone_run": lambda: runs.postpone_run(
            db, lease, run, delay=timedelta(seconds=5), reason="busy", now=now
        ),
        "hand_over": lambda: leases.hand_over(db, lease, run, now=now),
        "postpone_delivery": lambda: deliveries.postpone_delivery(
            db, lease, delay=timedelta(seconds=5), reason="busy", now=now
        ),
    }
    if is_message_first:
        said, released = await in_turn(database_url, say(db, 2, at=3), ends[end]())
    else:
        released, said = await in_turn(database_url, ends[end](), say(db, 2, at=3))
    assert said
    assert released
    await assert_guarantees(db)
    assert await take(db, "bob", at=8)
