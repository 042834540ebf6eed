"""One run from the take to the end: one call and one reply, as late as somebody still writes."""

from datetime import timedelta

from storage.database import Database
from tests.support.acts import ADA
from tests.support.ends import assert_answered, run_states
from tests.support.one_process import OneProcess
from tests.support.points import once_at


async def test_g1_a_burst_gets_one_call_and_one_reply(process: OneProcess, db: Database) -> None:
    await process.hear(1, 2, 3)
    await process.answers("reply")
    assert process.writer.calls[0].asks == "text 1\ntext 2\ntext 3"
    assert process.courier.sent == ["reply"]
    await assert_answered(db, 3)


async def test_g8_a_stale_wake_up_does_nothing(process: OneProcess, db: Database) -> None:
    await process.answerer.answer(ADA)
    await process.hear(1)
    await process.answers("reply")
    process.alarm.asked.clear()
    await process.answerer.answer(ADA)
    assert len(process.writer.calls) == len(process.courier.sent) == 1
    assert process.alarm.asked == []
    await assert_answered(db, 1)


async def test_g8_a_wake_up_that_comes_early_is_put_off(db: Database) -> None:
    process = OneProcess(db, "ada", quiet=timedelta(seconds=60), cap=timedelta(seconds=60))
    await process.hear(1)
    process.alarm.asked.clear()
    await process.answerer.answer(ADA)
    assert process.writer.calls == []
    assert [50 < seconds <= 60 for seconds in process.alarm.seconds] == [True]


async def test_g8_two_processes_woken_make_one_call(process: OneProcess, db: Database) -> None:
    other = OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        await other.answerer.answer(ADA)
        call.answer("reply")
    assert other.writer.calls == []
    assert other.alarm.asked == [], "the sweep finds it if this run comes to nothing"
    assert (process.courier.sent, other.courier.sent) == (["reply"], [])


async def test_g1_a_newer_message_supersedes_the_run_at_once(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        await process.hear(2)
    assert call.was_cancelled
    assert process.courier.sent == []
    assert process.alarm.seconds[-1] <= 0, "woken at once: the new window is closed already"
    await process.answers("reply")
    assert process.writer.calls[-1].asks == "text 1\ntext 2"
    assert await run_states(db) == ["superseded", "sent"]
    await assert_answered(db, 2)


async def test_g1_a_newer_message_of_another_process_supersedes_by_heartbeat(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        await OneProcess(db, "bob").hear(2)
        await process.keeper.beat()
    assert call.was_cancelled
    assert await run_states(db) == ["superseded"]


async def test_g1_a_message_between_the_answer_and_the_commit_supersedes(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    other = OneProcess(db, "bob")
    db.at = once_at("before commit_reply", lambda: other.hear(2))
    await process.answers("too early")
    assert process.courier.sent == []
    assert await run_states(db) == ["superseded"]
    await process.answers("reply")
    assert process.courier.sent == ["reply"]
    await assert_answered(db, 2)


async def test_g5_after_so_many_dropped_runs_the_run_in_hand_is_final(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    for number in (2, 3):
        async with process.answering() as call:
            await process.hear(number)
        assert call.was_cancelled
    async with process.answering() as final:
        await process.hear(4)
        await process.keeper.beat()
        final.answer("to the first three")
    assert process.courier.sent == ["to the first three"]
    await process.answers("to the fourth")
    assert process.writer.calls[-1].asks == "text 4"
    assert await run_states(db) == ["superseded", "superseded", "sent", "sent"]
    await assert_answered(db, 4)


async def test_g5_once_somebody_has_waited_long_the_run_in_hand_is_final(db: Database) -> None:
    process = OneProcess(db, "ada", max_wait=timedelta(0))
    await process.hear(1)
    async with process.answering() as call:
        await process.hear(2)
        await process.keeper.beat()
        call.answer("to the first")
    assert process.courier.sent == ["to the first"]
    await process.answers("to the second")
    await assert_answered(db, 2)
