"""A message is being counted at the very moment a run takes, commits, finishes or lets go."""

from datetime import timedelta

import pytest

from storage import leases, runs
from storage.database import Database
from storage.records import Released
from tests.support.acts import (
    ADA,
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
from tests.support.queues import queue_for


async def test_g4_a_message_just_before_the_close_keeps_the_take_away(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=2 - TICK))
        taken = await queue.joined_by(take(db, "ada", at=2))
    assert [counted.due_in for counted in await said] == [2]
    assert await taken is None
    assert burst_of(await must_take(db, "ada", at=4)).last_seq == 2


async def test_g4_a_message_just_after_the_close_joins_the_burst(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=2))
        taken = await queue.joined_by(take(db, "ada", at=2))
    assert await said
    joined = await taken
    assert joined
    assert burst_of(joined).last_seq == 2
    assert await commit(db, joined, at=3)


async def test_g4_a_message_just_after_the_take_opens_a_new_window(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        taken = await queue.joined_by(take(db, "ada", at=2))
        said = await queue.joined_by(say(db, 2, at=2))
    [counted] = await said
    assert counted.due_in == 2
    held = await taken
    assert held
    assert burst_of(held).last_seq == 1
    assert not await commit(db, held, at=3)


async def test_g1_a_message_just_before_the_commit_supersedes_the_run(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=3))
        committed = await queue.joined_by(commit(db, taken, at=3))
    assert await said
    assert not await committed
    assert await runs.supersede(db, taken.lease, taken.work.run, now=after(3)) == Released(2.0)
    assert burst_of(await must_take(db, "ada", at=5)).last_seq == 2


async def test_g1_a_message_just_after_the_commit_waits_for_the_next_cycle(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    async with queue_for(database_url, ADA) as queue:
        committed = await queue.joined_by(commit(db, taken, at=3))
        said = await queue.joined_by(say(db, 2, at=3))
    assert await said
    assert await committed
    assert await finish(db, taken, at=4) == Released(1.0)
    assert burst_of(await must_take(db, "ada", at=5)).answered_seq == 1


async def test_g5_a_message_just_before_the_commit_of_a_final_run_waits(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=60)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=61))
        committed = await queue.joined_by(commit(db, taken, at=61))
    assert await said
    assert await committed
    assert await finish(db, taken, at=62) == Released(1.0)


async def test_g6_a_message_just_before_the_finish_is_not_stranded(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    await deliver(db, taken, at=3)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=4))
        finished = await queue.joined_by(finish(db, taken, at=4))
    assert await said
    released = await finished
    assert released
    assert released.due_in is not None, "somebody has to be woken"
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
    async with queue_for(database_url, ADA) as queue:
        finished = await queue.joined_by(finish(db, taken, at=4))
        said = await queue.joined_by(say(db, 2, at=4))
    assert await finished == Released(None)
    assert [counted.due_in for counted in await said] == [2]
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
        "postpone_delivery": lambda: runs.postpone_delivery(
            db, lease, delay=timedelta(seconds=5), reason="busy", now=now
        ),
    }
    async with queue_for(database_url, ADA) as queue:
        if is_message_first:
            said = await queue.joined_by(say(db, 2, at=3))
            released = await queue.joined_by(ends[end]())
        else:
            released = await queue.joined_by(ends[end]())
            said = await queue.joined_by(say(db, 2, at=3))
    assert await said
    assert await released
    await assert_guarantees(db)
    assert await take(db, "bob", at=8)
