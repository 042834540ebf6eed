"""From a burst to an answer, or to what else becomes of it."""

import asyncio

import pytest

from coordination.lease_keeper import Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import LONGEST_WISH_SECONDS
from llm.contract import ForGood, Image, TooLong, TryLater, Turn
from llm.prompt import UNSEEN
from storage.database import Database
from storage.records import Attachment, InboundMessage, Seq
from tests.support.acts import ADA, burst_of
from tests.support.one_process import OneProcess
from tests.support.tool_box import Shop


def user(text: str) -> Turn:
    return Turn("user", text)


def assistant(text: str) -> Turn:
    return Turn("assistant", text)


async def answered(process: OneProcess, *message_ids: int, with_text: str) -> None:
    """A whole cycle: these messages get that reply."""
    await process.hear(*message_ids)
    await process.answers(with_text)


async def outcome_of(process: OneProcess, error: Exception) -> Outcome:
    taken = await process.take()
    with process.holding(taken) as held:
        composing = asyncio.create_task(process.composer.compose(held, burst_of(taken)))
        (await process.writer.next_call()).fail(error)
        return await composing


async def test_the_burst_comes_after_its_history(db: Database) -> None:
    process = OneProcess(db, "ada")
    await answered(process, 1, 2, with_text="first reply")
    await answered(process, 3, with_text="second reply")
    await answered(process, 4, 5, with_text="third reply")
    assert process.writer.calls[-1].turns == [
        user("text 1\ntext 2"),
        assistant("first reply"),
        user("text 3"),
        assistant("second reply"),
        user("text 4\ntext 5"),
    ]


async def test_the_burst_is_in_telegrams_order_however_it_was_counted(db: Database) -> None:
    process = OneProcess(db, "ada")
    await answered(process, 12, 11, 13, with_text="reply")
    assert process.writer.calls[-1].asks == "text 11\ntext 12\ntext 13"


async def test_g1_what_came_during_a_final_run_follows_its_reply(db: Database) -> None:
    process = OneProcess(db, "ada", max_supersedes=0)
    await process.hear(1)
    async with process.answering() as call:
        await process.hear(2)
        call.answer("reply")
    await answered(process, 3, with_text="another")
    assert process.writer.calls[-1].turns == [
        user("text 1"),
        assistant("reply"),
        user("text 2\ntext 3"),
    ]


async def test_history_is_bounded(db: Database) -> None:
    process = OneProcess(db, "ada", history_messages=2)
    for number in range(1, 5):
        await answered(process, number, with_text=f"reply {number}")
    assert process.writer.calls[-1].turns == [
        user("text 3"),
        assistant("reply 3"),
        user("text 4"),
    ]


async def test_g10_an_apology_is_no_part_of_the_history(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        call.fail(ForGood("refused"))
    await answered(process, 2, with_text="reply")
    assert process.courier.sent == ["Sorry.", "reply"]
    assert assistant("Sorry.") not in process.writer.calls[-1].turns


async def test_a_prompt_that_is_too_long_is_asked_again_without_the_history(db: Database) -> None:
    process = OneProcess(db, "ada")
    await answered(process, 1, with_text="reply")
    await process.hear(2)
    async with process.answering() as call:
        call.fail(TooLong("HTTP 400"))
        again = await process.writer.next_call()
        assert again.turns == [user("text 2")]
        again.answer("short")
    assert process.courier.sent == ["reply", "short"]


async def test_a_burst_after_one_that_was_too_long_is_asked_again_without_it(db: Database) -> None:
    process = OneProcess(db, "ada")
    for number in (1, 2):
        await process.hear(number)
        async with process.answering() as call:
            call.fail(TooLong("HTTP 400"))
            if number == 2:
                again = await process.writer.next_call()
                assert again.turns == [user("text 2")]
                again.answer("short")
    assert process.courier.sent == ["Sorry.", "short"]


async def test_a_prompt_that_tools_made_too_long_is_asked_again_without_the_history(
    db: Database,
) -> None:
    process = OneProcess(db, "ada", Shop().box)
    await answered(process, 1, with_text="reply")
    await process.hear(2)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        (await process.writer.next_call()).fail(TooLong("HTTP 400"))
        again = await process.writer.next_call()
        assert [turn.role for turn in again.turns[1:]] == ["user", "assistant", "tool"]
        again.answer("short")
    assert process.courier.sent == ["reply", "short"]


async def test_pictures_that_are_too_long_by_themselves_are_left_out_too(db: Database) -> None:
    process = OneProcess(db, "ada")
    await answered(process, 1, with_text="reply")
    process.attachments.files["p"] = Image("image/jpeg", b"large")
    await process.receiver.receive(InboundMessage(ADA, 2, "look", (Attachment("photo", "p"),)))
    async with process.answering() as call:
        call.fail(TooLong("HTTP 413"))
        (await process.writer.next_call()).fail(TooLong("HTTP 413"))
        again = await process.writer.next_call()
        assert again.turns == [user(f"look\n{UNSEEN}")]
        again.answer("I cannot see it")
    assert process.courier.sent == ["reply", "I cannot see it"]


async def test_a_burst_that_is_too_long_by_itself_is_asked_once(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        call.fail(TooLong("HTTP 400"))
    assert len(process.writer.calls) == 1
    assert process.courier.sent == ["Sorry."]


async def test_an_answer_that_the_database_could_not_keep_is_made_storable(db: Database) -> None:
    process = OneProcess(db, "ada")
    await answered(process, 1, with_text="nul \0 and half a pair \ud83d")
    assert process.courier.sent == ["nul \ufffd and half a pair \ufffd"]


async def test_typing_is_shown_while_the_model_works(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        assert process.courier.typing_in == [ADA]
        call.answer("reply")
    assert process.courier.typing_in == []


@pytest.mark.parametrize(
    ("wish", "at_least"),
    [(None, 0), (7, 7), (86_400, LONGEST_WISH_SECONDS)],
    ids=["no wish", "a wish", "a wish beyond all patience"],
)
async def test_g10_try_later_is_postponed_as_the_server_wishes(
    db: Database, wish: float | None, at_least: float
) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    outcome = await outcome_of(process, TryLater("rate limit", wish))
    assert isinstance(outcome, Postponed)
    assert outcome.reason == "rate limit"
    assert at_least <= outcome.delay <= at_least + 2


async def test_g10_a_fault_of_our_own_is_tried_again(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    outcome = await outcome_of(process, ZeroDivisionError("no text of this may leak"))
    assert isinstance(outcome, Postponed)
    assert outcome.reason == "ZeroDivisionError"


async def test_g10_for_good_is_an_apology(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    assert await outcome_of(process, ForGood("refused")) == Apology("refused")


@pytest.mark.parametrize("error", [TryLater("busy", 7), ZeroDivisionError()], ids=["busy", "fault"])
async def test_g10_the_last_attempt_ends_in_an_apology(db: Database, error: Exception) -> None:
    process = OneProcess(db, "ada", model_max_attempts=1)
    await process.hear(1)
    assert isinstance(await outcome_of(process, error), Apology)


@pytest.mark.parametrize("why", sorted(set(Stop) - {Stop.BY_USER}, key=str))
async def test_g8_a_stopped_run_cancels_its_model_call(db: Database, why: Stop) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    taken = await process.take()
    with process.holding(taken) as held:
        composing = asyncio.create_task(process.composer.compose(held, burst_of(taken)))
        call = await process.writer.next_call()
        held.stop(why)
        assert await composing == Stopped(why)
    assert call.was_cancelled
    assert process.courier.typing_in == []


async def test_g8_a_run_stopped_before_its_call_makes_none(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    taken = await process.take()
    with process.holding(taken) as held:
        held.counter_is(Seq(2), 0)
        outcome = await process.composer.compose(held, burst_of(taken))
    assert outcome == Stopped(Stop.NEWER_MESSAGE)
    assert process.writer.calls == []


async def test_a_finished_answer_is_not_thrown_away(db: Database) -> None:
    """The commit decides, not the wish to stop that came too late."""
    process = OneProcess(db, "ada")
    await process.hear(1)
    taken = await process.take()
    with process.holding(taken) as held:
        composing = asyncio.create_task(process.composer.compose(held, burst_of(taken)))
        (await process.writer.next_call()).answer("reply")
        assert await composing == Reply("reply")
        held.stop(Stop.NEWER_MESSAGE)
