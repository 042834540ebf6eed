"""G4, told plainly: when a window closes, and what a message does to it."""

from datetime import timedelta

from storage import deliveries, messages, runs
from storage.database import Database
from storage.records import InboundMessage
from storage.windows import due_in
from tests.support.acts import (
    ADA,
    CAP,
    QUIET,
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


async def closes_in(db: Database, *, at: float) -> float | None:
    return await due_in(db, ADA, now=after(at))


async def test_g4_a_window_closes_when_it_was_quiet_for_so_long(db: Database) -> None:
    await say(db, 1, at=0)
    assert await take(db, "ada", at=2 - TICK) is None
    assert await take(db, "ada", at=2)


async def test_g4_each_message_moves_the_close(db: Database) -> None:
    await say(db, 1, at=0)
    await say(db, 2, at=1.5)
    assert await closes_in(db, at=1.5) == 2
    await say(db, 3, at=3.4)
    assert await closes_in(db, at=3.4) == 2


async def test_g4_no_message_moves_the_close_past_the_cap(db: Database) -> None:
    for number in range(7):
        await say(db, number, at=1.5 * number)
    assert await closes_in(db, at=9) == 1
    assert burst_of(await must_take(db, "ada", at=10)).last_seq == 7


async def say_waiting(db: Database, number: int, *, at: float, quiet: float) -> None:
    """A message after which more of the same is likely to come."""
    inbound = InboundMessage(ADA, number, "long", quiet=timedelta(seconds=quiet))
    await messages.receive(db, [inbound], quiet=QUIET, cap=CAP, now=after(at))


async def test_g4_a_message_may_ask_for_a_longer_quiet(db: Database) -> None:
    await say_waiting(db, 1, at=0, quiet=5)
    assert await closes_in(db, at=0) == 5
    await say(db, 2, at=1)
    assert await closes_in(db, at=1) == 4
    await say_waiting(db, 3, at=2, quiet=1)
    assert await closes_in(db, at=2) == 3


async def test_g4_a_longer_quiet_moves_no_close_past_the_cap(db: Database) -> None:
    await say_waiting(db, 1, at=0, quiet=60)
    assert await closes_in(db, at=0) == 10
    await say_waiting(db, 2, at=9, quiet=5)
    assert await closes_in(db, at=9) == 1


async def test_g4_after_the_close_a_message_joins_and_moves_nothing(db: Database) -> None:
    await say(db, 1, at=0)
    await say(db, 2, at=2)
    await say(db, 3, at=50)
    assert await closes_in(db, at=50) == -48
    assert burst_of(await must_take(db, "ada", at=50)).last_seq == 3


async def test_g4_during_a_run_a_message_opens_a_new_window(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    await say(db, 2, at=5)
    assert await closes_in(db, at=5) == 2
    for number in range(3, 10):
        await say(db, number, at=5 + 1.5 * (number - 2))
    assert await closes_in(db, at=15) == 0, "with a cap of its own"
    assert not await commit(db, taken, at=15)


async def test_g4_a_second_delivery_moves_nothing(db: Database) -> None:
    await say(db, 1, at=0)
    assert await say(db, 1, at=1.5) == []
    assert await closes_in(db, at=1.5) == 0.5


async def test_g6_a_burst_that_waits_for_a_retry_is_joined(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    delay = timedelta(seconds=20)
    lease, run = taken.lease, taken.work.run
    assert await runs.postpone_run(db, lease, run, delay=delay, reason="busy", now=after(3))
    await say(db, 2, at=5)
    assert await closes_in(db, at=5) == 18
    retried = burst_of(await must_take(db, "ada", at=23))
    assert (retried.last_seq, retried.model_attempts) == (2, 1)


async def test_g6_a_committed_reply_goes_before_a_new_window(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=2)
    assert await commit(db, taken, at=3)
    await say(db, 2, at=4)
    delay = timedelta(seconds=20)
    assert await deliveries.postpone_delivery(
        db, taken.lease, delay=delay, reason="busy", now=after(5)
    )
    assert await take(db, "ada", at=24) is None
    resumed = await must_take(db, "ada", at=25)
    await deliver(db, resumed, at=25)
    assert await finish(db, resumed, at=25)
    assert burst_of(await must_take(db, "ada", at=25)).answered_seq == 1
