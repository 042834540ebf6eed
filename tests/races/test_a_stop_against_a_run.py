"""/stop comes at the very moment a run takes, commits, or a message is being counted."""

from storage.cancel import Cancelled, cancel_burst
from storage.database import Database
from tests.support.acts import ADA, after, commit, deliver, finish, must_take, say, take
from tests.support.ends import assert_answered, run_states
from tests.support.queues import in_turn

STOP = 100


async def stop(db: Database, *, at: float) -> Cancelled:
    return await cancel_burst(db, ADA, STOP, reset=False, now=after(at))


async def test_g3_a_stop_just_before_the_commit_leaves_nothing_to_commit(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    stopped, committed = await in_turn(database_url, stop(db, at=3), commit(db, taken, at=3))
    assert stopped == Cancelled(1, taken.lease.fence)
    assert not committed
    assert await run_states(db) == ["cancelled"]
    await assert_answered(db, 1)


async def test_g1_a_stop_just_after_the_commit_lets_the_reply_go_out(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    committed, stopped = await in_turn(database_url, commit(db, taken, at=3), stop(db, at=3))
    assert committed
    assert stopped == Cancelled(0, None)
    await deliver(db, taken, at=4)
    assert await finish(db, taken, at=5)
    assert await run_states(db) == ["sent"]
    await assert_answered(db, 1)


async def test_g8_a_take_just_after_the_stop_has_nothing_to_take(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    stopped, taken = await in_turn(database_url, stop(db, at=2), take(db, "ada", at=2))
    assert stopped == Cancelled(1, None)
    assert taken is None
    await assert_answered(db, 1)


async def test_g3_a_stop_just_after_the_take_finds_the_new_run(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken, stopped = await in_turn(database_url, take(db, "ada", at=2), stop(db, at=2))
    assert taken
    assert stopped == Cancelled(1, taken.lease.fence)
    assert not await commit(db, taken, at=3)
    await assert_answered(db, 1)


async def test_g6_a_message_just_after_the_stop_is_answered(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    stopped, said = await in_turn(database_url, stop(db, at=1), say(db, 2, at=1))
    assert stopped == Cancelled(1, None)
    assert [counted.due_in for counted in said] == [2]
    await must_take(db, "ada", at=3)


async def test_g6_a_message_just_before_the_stop_is_settled_with_the_rest(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    said, stopped = await in_turn(database_url, say(db, 2, at=1), stop(db, at=1))
    assert said
    assert stopped == Cancelled(2, None)
    await assert_answered(db, 2)
