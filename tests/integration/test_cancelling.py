"""/stop and /reset: what is under way ends at once, and nothing of it comes later."""

from bot.story.verdict import verdict
from bot.story.words import in_words
from coordination.history import STOPPED
from storage.database import Database
from storage.prune import prune
from storage.story import story_of
from tests.support.acts import ADA
from tests.support.ends import assert_answered, run_states
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess

STOP = 100


async def test_a_stop_cancels_the_run_that_generates(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1, 2)
    async with process.answering() as call:
        await process.receiver.cancel(ADA, STOP, reset=False)
    assert call.was_cancelled
    assert process.courier.sent == []
    assert await run_states(db) == ["cancelled"]
    await assert_answered(db, 2)


async def test_a_stop_settles_what_waits(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1, 2)
    stopped = await process.receiver.cancel(ADA, STOP, reset=False)
    assert (stopped.messages, stopped.was_done) == (2, False)
    await process.answerer.answer(ADA)
    assert process.writer.calls == []
    await assert_answered(db, 2)


async def test_a_stop_with_nothing_to_stop_changes_nothing(db: Database) -> None:
    process = OneProcess(db, "ada")
    assert (await process.receiver.cancel(ADA, STOP, reset=False)).messages == 0
    await process.hear(1)
    await process.answers("reply")
    assert (await process.receiver.cancel(ADA, STOP + 1, reset=False)).messages == 0
    assert await run_states(db) == ["sent"]
    await assert_answered(db, 1)


async def test_g1_a_stop_that_comes_again_cancels_nothing_that_came_after_it(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    await process.receiver.cancel(ADA, STOP, reset=False)
    await process.hear(STOP + 1)
    again = await process.receiver.cancel(ADA, STOP, reset=False)
    assert (again.messages, again.was_done) == (0, True)
    await process.answers("reply")
    assert process.courier.sent == ["reply"]
    await assert_answered(db, 2)


async def test_a_run_of_another_process_ends_with_its_next_beat(db: Database) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        await other.receiver.cancel(ADA, STOP, reset=False)
        await process.keeper.beat()
    assert call.was_cancelled
    await assert_answered(db, 1)


async def test_g3_a_zombie_of_a_cancelled_run_changes_nothing(db: Database) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        await other.receiver.cancel(ADA, STOP, reset=False)
        await other.hear(2)
        call.answer("too late")
    assert process.courier.sent == []
    await other.answers("reply to the second")
    assert await run_states(db) == ["cancelled", "sent"]
    await assert_answered(db, 2)


async def test_a_stop_keeps_the_history_and_a_reset_does_not(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    await process.answers("reply")
    await process.hear(2)
    await process.receiver.cancel(ADA, STOP, reset=False)
    await process.hear(3)
    async with process.answering() as call:
        told = "\n".join(turn.text for turn in call.turns).splitlines()
        assert told == ["text 1", "reply", "text 2", STOPPED, "text 3"]
        await process.receiver.cancel(ADA, STOP + 1, reset=True)
    await process.hear(4)
    async with process.answering() as call:
        assert [turn.text for turn in call.turns] == ["text 4"]
        call.answer("a new beginning")
    await assert_answered(db, 4)


async def test_a_reset_hides_a_reply_that_is_still_going_out(db: Database) -> None:
    process = OneProcess(db, "ada")

    async def meanwhile() -> None:
        await process.receiver.cancel(ADA, STOP, reset=True)

    await process.hear(1)
    process.courier.meanwhile = meanwhile
    await process.answers("reply")
    await process.hear(2)
    async with process.answering() as call:
        assert [turn.text for turn in call.turns] == ["text 2"]
        call.answer("a new beginning")
    assert process.courier.sent == ["reply", "a new beginning"]
    await assert_answered(db, 2)


async def test_summaries_of_before_a_reset_are_not_looked_at(db: Database) -> None:
    process = OneProcess(db, "ada", history_messages=4, summary_tokens=100)
    for number in range(1, 9):
        await process.hear(number)
        async with process.answering() as first:
            if "memory of a chat" in first.turns[0].text:
                first.answer("an old story")
                (await process.writer.next_call()).answer("reply")
            else:
                first.answer("reply")
    await process.receiver.cancel(ADA, STOP, reset=True)
    await process.hear(9)
    async with process.answering() as call:
        assert [turn.text for turn in call.turns] == ["text 9"]
        call.answer("reply")
    await assert_guarantees(db)


async def test_the_timeline_says_who_cancelled(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering():
        await process.receiver.cancel(ADA, STOP, reset=False)
    await process.hear(2)
    await process.receiver.cancel(ADA, STOP + 1, reset=True)
    first, second = await story_of(db, ADA, 1), await story_of(db, ADA, 2)
    assert in_words(first.events[-1]) == "run 1 cancelled by the user with /stop; watermark 1"
    assert verdict(first)[0] == "The user cancelled message 1 with /stop: no reply."
    assert verdict(second)[0] == "The user cancelled message 2 with /reset: no reply."
    assert first.events[-1].causation_id == first.events[-2].id


async def test_cancelled_bursts_are_pruned_like_others(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    await process.receiver.cancel(ADA, STOP, reset=False)
    await process.hear(2)
    await process.answers("reply")
    await db.fetch("UPDATE runs SET ended_at = ended_at - interval '9 days' RETURNING 1", {})
    await db.fetch(
        "UPDATE messages SET received_at = received_at - interval '9 days' RETURNING 1", {}
    )
    await prune(db, older_than=process.rules.max_wait * 60 * 24 * 3)
    assert await run_states(db) == ["sent"]
    await assert_answered(db, 2)
