"""/stop comes at the very moment a run takes, commits, or a message is being counted."""

from storage.cancel import Cancelled, cancel_burst
from storage.database import Database
from tests.support.acts import ADA, after, commit, deliver, finish, must_take, say, take
from tests.support.ends import assert_answered, run_states
from tests.support.queues import queue_for

STOP = 100


async def stop(db: Database, *, at: float) -> Cancelled:
    return await cancel_burst(db, ADA, STOP, reset=False, now=after(at))


async def test_g3_a_stop_just_before_the_commit_leaves_nothing_to_commit(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    async with queue_for(database_url, ADA) as queue:
        stopped = await queue.joined_by(stop(db, at=3))
        committed = await queue.joined_by(commit(db, taken, at=3))
    assert await stopped == Cancelled(1, taken.lease.fence)
    assert not await committed
    assert await run_states(db) == ["cancelled"]
    await assert_answered(db, 1)


async def test_g1_a_stop_just_after_the_commit_lets_the_reply_go_out(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    async with queue_for(database_url, ADA) as queue:
        committed = await queue.joined_by(commit(db, taken, at=3))
        stopped = await queue.joined_by(stop(db, at=3))
    assert await committed
    assert await stopped == Cancelled(0, None)
    await deliver(db, taken, at=4)
    assert await finish(db, taken, at=5)
    assert await run_states(db) == ["sent"]
    await assert_answered(db, 1)


async def test_g8_a_take_just_after_the_stop_has_nothing_to_take(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        stopped = await queue.joined_by(stop(db, at=2))
        taken = await queue.joined_by(take(db, "ada", at=2))
    assert await stopped == Cancelled(1, None)
    assert await taken is None
    await assert_answered(db, 1)


async def test_g3_a_stop_just_after_the_take_finds_the_new_run(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        taken = await queue.joined_by(take(db, "ada", at=2))
        stopped = await queue.joined_by(stop(db, at=2))
    held = await taken
    assert held
    assert await stopped == Cancelled(1, held.lease.fence)
    assert not await commit(db, held, at=3)
    await assert_answered(db, 1)


async def test_g6_a_message_just_after_the_stop_is_answered(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        stopped = await queue.joined_by(stop(db, at=1))
        said = await queue.joined_by(say(db, 2, at=1))
    assert await stopped == Cancelled(1, None)
    assert [counted.due_in for counted in await said] == [2]
    await must_take(db, "ada", at=3)


async def test_g6_a_message_just_before_the_stop_is_settled_with_the_rest(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        said = await queue.joined_by(say(db, 2, at=1))
        stopped = await queue.joined_by(stop(db, at=1))
    assert await said
    assert await stopped == Cancelled(2, None)
    await assert_answered(db, 2)
