"""One run that comes to nothing, or nearly so, and what the next one makes of it."""

from datetime import timedelta

import pytest

from coordination import answer
from coordination.lease_keeper import Stop
from coordination.patience import RetryPolicy
from llm.contract import ForGood, TryLater
from storage.database import Database
from tests.support.acts import ADA, take
from tests.support.ends import assert_answered, assert_unanswered, run_states
from tests.support.one_process import OneProcess
from tests.support.points import away, once_at, stumble
from tests.support.waiting import until_found

EXPIRED = "SELECT 1 FROM conversations WHERE lease_expires_at <= clock_timestamp()"


async def test_g10_try_later_makes_the_burst_due_again(process: OneProcess, db: Database) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.fail(TryLater("rate limit", 40))
    assert 35 < process.alarm.seconds[-1] < 45
    await process.answerer.answer(ADA)
    assert len(process.writer.calls) == 1, "not before its time"
    assert await run_states(db) == ["postponed"]
    await assert_unanswered(db)


@pytest.mark.parametrize(
    ("error", "attempts"), [(ForGood("refused"), 1), (TryLater("busy"), 3)], ids=["good", "last"]
)
async def test_g10_what_failed_for_good_gets_an_apology_that_covers_the_burst(
    process: OneProcess, db: Database, error: Exception, attempts: int
) -> None:
    await process.hear(1, 2)
    for _ in range(attempts):
        await db.fetch("UPDATE windows SET retry_at = NULL RETURNING 1", {})
        async with process.answering() as call:
            call.fail(error)
    assert process.courier.sent == ["Sorry."]
    assert (await run_states(db))[-1] == "failed"
    await assert_answered(db, 2)


async def test_g10_an_answer_with_nothing_to_send_gets_an_apology(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    await process.answers("")
    assert process.courier.sent == ["Sorry."]
    assert await run_states(db) == ["failed"]
    await assert_answered(db, 1)


async def test_g7_a_process_that_stops_hands_over(process: OneProcess, db: Database) -> None:
    await process.hear(1)
    async with process.answering() as call:
        process.keeper.stop_all(Stop.SHUTTING_DOWN)
    assert call.was_cancelled
    other = OneProcess(db, "bob")
    await other.answers("reply")
    assert await run_states(db) == ["handed_over", "sent"]
    await assert_answered(db, 1)


async def test_g3_a_lost_lease_ends_the_run_at_once(process: OneProcess, db: Database) -> None:
    await process.hear(1)
    process.alarm.asked.clear()
    async with process.answering() as call:
        assert await take(db, "bob", at=0)
        await process.keeper.beat()
    assert call.was_cancelled
    assert process.courier.sent == []
    assert process.alarm.asked == []
    assert await run_states(db) == ["lost", "generating"]


async def test_g3_an_answer_after_the_lease_was_lost_is_not_sent(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        assert await take(db, "bob", at=0)
        call.answer("late")
    assert process.courier.sent == []
    assert await run_states(db) == ["lost", "generating"]


async def test_g7_a_lease_that_expired_but_was_not_taken_is_renewed_for_the_commit(
    db: Database, database_url: str
) -> None:
    process = OneProcess(db, "ada", lease_ttl=timedelta(seconds=0.2))
    await process.hear(1)
    async with process.answering() as call:
        await until_found(database_url, EXPIRED)
        call.answer("reply")
    assert await run_states(db) in (["sent"], ["committed"])


async def test_g7_a_committed_reply_is_delivered_and_not_written_again(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    process.courier.script = [RuntimeError("the courier stumbles")]
    async with process.answering() as call:
        call.answer("reply")
    assert await run_states(db) == ["committed"]
    assert process.alarm.seconds[-1] > 0
    await db.fetch("UPDATE conversations SET deliver_after = now() RETURNING 1", {})
    await process.answerer.answer(ADA)
    assert process.courier.sent == ["reply", "reply"]
    assert len(process.writer.calls) == 1
    await assert_answered(db, 1)


async def test_g6_a_fault_of_our_own_is_set_back_and_does_not_loop(
    process: OneProcess, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "OWN_FAULTS", NoJitter(base=15.0))
    await process.hear(1)

    db.at = once_at("before commit_reply", stumble)
    await process.answers("never seen")
    assert process.courier.sent == []
    assert 10 < process.alarm.seconds[-1] <= 15.0
    await process.answerer.answer(ADA)
    assert len(process.writer.calls) == 1
    assert await run_states(db) == ["postponed"]
    await assert_unanswered(db)


async def test_g7_a_database_that_is_away_at_the_take_is_no_error(
    process: OneProcess, db: Database
) -> None:
    await process.hear(1)
    process.alarm.asked.clear()

    db.at = once_at("before take_lease", away)
    await process.answerer.answer(ADA)
    assert process.alarm.asked == [], "the sweep comes by"
    await process.answers("reply")


class NoJitter(RetryPolicy):
    """Waits as long as it may."""

    def delay(self, failures: int, wish: float | None = None) -> float:  # noqa: ARG002
        return self.base


@pytest.mark.parametrize(
    "verb",
    ["messages_between", "commit_reply", "open_parts", "start_part", "record_part", "finish"],
)
@pytest.mark.parametrize("when", ["before", "after"])
async def test_g7_a_database_that_was_away_is_asked_again(
    process: OneProcess, db: Database, when: str, verb: str
) -> None:
    """Before: it was not done. After: it was, and the answer is lost."""
    await process.hear(1)

    db.at = once_at(f"{when} {verb}", away)
    await process.answers("reply")
    assert process.courier.sent == ["reply"]
    await assert_answered(db, 1)
