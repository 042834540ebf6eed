"""What is seen of an answer while it is written, and what remains if its reader has enough."""

import pytest

from storage.database import Database
from storage.records import Fence
from tests.support.acts import ADA
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess
from tests.support.tool_box import Shop

ANSWERED = "SELECT answered_seq FROM conversations"


async def answered_seq(db: Database) -> int:
    return int((await db.fetch(ANSWERED, {}))[0].answered_seq)


async def test_the_answer_is_shown_as_it_comes(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        call.streams("Once", " upon", " a time")
        call.answer("Once upon a time")
    assert process.courier.drafts == ["Once", "Once upon", "Once upon a time"]
    assert process.courier.sent == ["Once upon a time"]


async def test_what_was_seen_of_a_stopped_answer_is_the_reply(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        call.streams("Once", " upon")
        await process.receiver.stop(ADA)
    assert call.was_cancelled
    assert process.courier.sent == ["Once upon"]
    assert await answered_seq(db) == 1
    await assert_guarantees(db)


async def test_what_was_seen_before_a_tool_was_called_stays_until_more_comes(db: Database) -> None:
    process = OneProcess(db, "ada", Shop().box)
    await process.hear(1)
    async with process.answering() as call:
        call.streams("One moment.")
        call.calls("look", day="Monday")
        await process.writer.next_call()
        await process.receiver.stop(ADA)
    assert process.courier.sent == ["One moment."]
    await assert_guarantees(db)


@pytest.mark.parametrize("streamed", [(), ("\n ",), ("\u200b",)], ids=["", "space", "zero width"])
async def test_an_answer_stopped_before_its_first_word_says_so(
    db: Database, streamed: tuple[str, ...]
) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        call.streams(*streamed)
        await process.receiver.stop(ADA)
    assert process.courier.sent == ["Stopped."]
    assert await answered_seq(db) == 1
    await assert_guarantees(db)


async def test_a_stop_reaches_a_run_in_another_process(db: Database) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        call.streams("Once")
        await other.receiver.stop(ADA)
        await process.keeper.beat()
    assert process.courier.sent == ["Once"]
    await assert_guarantees(db)


async def test_a_stop_that_comes_late_stops_no_later_run(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    await process.receiver.stop(ADA)
    async with process.answering() as call:
        await process.keeper.beat()
        call.answer("reply")
    await process.receiver.stop(ADA)
    await process.hear(2)
    async with process.answering() as call:
        await process.keeper.beat()
        call.answer("reply 2")
    assert process.courier.sent == ["reply", "reply 2"]
    await assert_guarantees(db)


async def test_a_message_that_came_before_the_stop_supersedes_all_the_same(db: Database) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        call.streams("Once")
        await other.hear(2)
        await process.receiver.stop(ADA)
    assert process.courier.sent == []
    await process.answers("reply to both")
    assert process.courier.sent == ["reply to both"]
    await assert_guarantees(db)


async def test_a_stop_meant_for_an_earlier_run_leaves_this_one_alone(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        process.keeper.stop_run(ADA, Fence(0))
        call.answer("reply")
    assert not call.was_cancelled
    assert process.courier.sent == ["reply"]
