"""A delivery that is cut short: by a crash, a stop, a lost lease or a long sleep."""

import pytest

from coordination.lease_keeper import Stop
from coordination.ports import Unreachable
from storage import leases
from storage.database import Database
from storage.records import Released
from tests.support.acts import burst_of, take
from tests.support.one_process import OneProcess
from tests.support.points import once_at, stumble
from tests.support.replies import (
    assert_finished,
    assert_postponed,
    committed,
    deliver,
    states,
)

BLOCKED = Unreachable("blocked")


async def test_g10_a_crash_after_the_refusal_does_not_turn_it_into_a_reply(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one")
    process.courier.script = [BLOCKED, BLOCKED]
    db.at = once_at("before finish", stumble)
    with pytest.raises(ZeroDivisionError):
        await deliver(process, taken)
    await leases.free_leases_of(db, ["ada"])
    successor = OneProcess(db, "bob")
    successor.courier.script = [BLOCKED]
    assert await deliver(successor, await successor.take())
    await assert_finished(db, "undeliverable")


async def test_g7_a_process_that_stops_hands_over_between_two_parts(db: Database) -> None:
    process, successor = OneProcess(db, "ada"), OneProcess(db, "bob")
    taken = await committed(process, "one", "two")

    async def stop() -> None:
        process.keeper.stop_all(Stop.SHUTTING_DOWN)

    process.courier.meanwhile = stop
    assert await deliver(process, taken) == Released(0.0)
    assert await deliver(successor, await successor.take()) == Released(None)
    assert (process.courier.sent, successor.courier.sent) == (["one"], ["two"])
    await assert_finished(db, "sent")


async def test_g3_a_lease_lost_between_two_parts_ends_the_delivery(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one", "two")

    async def another_takes() -> None:
        assert await take(db, "bob", at=0)

    process.courier.meanwhile = another_takes
    assert await deliver(process, taken) is None
    assert process.courier.sent == ["one"]
    assert await states(db) == ["sending", "pending"], "nobody but the new holder writes"


async def test_g3_a_holder_that_slept_past_its_expiry_sends_nothing(db: Database) -> None:
    """Nobody took over yet, but somebody may at any moment."""
    process = OneProcess(db, "ada")
    taken = await committed(process, "one")
    assert await deliver(process, taken, seconds_ago=31) is None
    assert process.courier.sent == []
    assert await states(db) == ["pending"]


async def test_g3_a_holder_that_slept_while_another_took_over_sends_nothing(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one")
    assert await take(db, "bob", at=0)
    assert await deliver(process, taken) is None
    assert process.courier.sent == []
    assert await states(db) == ["pending"]


async def test_g3_a_lease_that_may_be_gone_by_now_holds_the_letter_back(db: Database) -> None:
    """Asked again by the courier, just before the first byte leaves."""
    process = OneProcess(db, "ada")
    taken = await committed(process, "one")
    with process.holding(taken) as held:

        async def sleep_long() -> None:
            held.renewed(valid_until=0)

        db.at = once_at("before send_message", sleep_long)
        assert await process.deliverer.deliver(held, taken.work.run)
    assert process.courier.sent == []
    assert await states(db) == ["pending"]
    await assert_postponed(db, 0, 4)


async def test_g6_what_came_meanwhile_is_told_to_whoever_sets_the_alarm(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one")

    async def another_message() -> None:
        await process.hear(2)

    process.courier.meanwhile = another_message
    released = await deliver(process, taken)
    assert released
    assert released.due_in is not None
    assert released.due_in <= 0
    assert burst_of(await process.take()).answered_seq == 1
