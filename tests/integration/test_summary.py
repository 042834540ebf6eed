"""What is too old for the prompt is summarised once, and kept."""

import pytest

from coordination.tools.toolbox import Toolbox
from llm.contract import ForGood, TooLong, TryLater
from storage.database import Database
from tests.support.edges import ModelCall
from tests.support.one_process import OneProcess

SUMMARIES = "SELECT count(*) AS n FROM cached_results"


@pytest.fixture
def process(db: Database) -> OneProcess:
    return OneProcess(db, "ada", Toolbox(), history_messages=4, summary_tokens=20)


async def converse(process: OneProcess, *message_ids: int) -> None:
    for number in message_ids:
        await process.hear(number)
        await process.answers(f"reply {number}")


def is_summary(call: ModelCall) -> bool:
    return "memory of a chat" in call.turns[0].text


async def kept(db: Database) -> int:
    return int((await db.fetch(SUMMARIES, {}))[0].n)


async def test_a_short_conversation_needs_none(process: OneProcess, db: Database) -> None:
    await converse(process, 1, 2, 3)
    assert not any(map(is_summary, process.writer.calls))
    assert await kept(db) == 0


async def test_older_turns_come_as_a_summary(process: OneProcess, db: Database) -> None:
    await converse(process, 1, 2, 3)
    await process.hear(4)
    async with process.answering() as asked:
        assert is_summary(asked)
        assert asked.turns[1].text == "What was said since:\nUser: text 1\nBot: reply 1"
        asked.answer("Text 1 was said.")
        call = await process.writer.next_call()
        assert call.turns[0].text.endswith("in short:\nText 1 was said.")
        assert [turn.text for turn in call.turns[1:]] == [
            *("text 2", "reply 2", "text 3", "reply 3", "text 4")
        ]
        call.answer("reply 4")
    assert await kept(db) == 1


async def test_it_is_made_once_and_grows_by_what_is_new(process: OneProcess, db: Database) -> None:
    await test_older_turns_come_as_a_summary(process, db)
    await process.hear(5)
    async with process.answering() as asked:
        assert asked.turns[1].text == (
            "Summary so far:\nText 1 was said.\n\nWhat was said since:\nUser: text 2\nBot: reply 2"
        )
        asked.answer("Two texts were said.")
        await process.writer.next_call()
        await process.hear(6)
    async with process.answering() as call:
        assert not is_summary(call), "it is kept, although the run that made it was superseded"
        assert "Two texts were said." in call.turns[0].text
        call.answer("reply 6")
    assert await kept(db) == 2


async def test_it_stays_within_its_budget(process: OneProcess) -> None:
    await converse(process, 1, 2, 3)
    await process.hear(4)
    async with process.answering() as asked:
        asked.answer("é" * 500)
        call = await process.writer.next_call()
        assert call.turns[0].text.endswith("in short:\n" + "é" * 40)
        call.answer("reply 4")


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (TryLater("busy"), True),
        (ForGood("HTTP 400 Bad Request"), False),
        (ForGood("content refused"), True),
        (TooLong("HTTP 400 Bad Request (context_length_exceeded)"), True),
    ],
)
async def test_without_one_the_reply_goes_out_all_the_same(
    process: OneProcess, error: Exception, again: bool
) -> None:
    await converse(process, 1, 2, 3)
    await process.hear(4)
    async with process.answering() as asked:
        asked.fail(error)
        call = await process.writer.next_call()
        assert [turn.text for turn in call.turns] == [
            *("text 2", "reply 2", "text 3", "reply 3", "text 4")
        ]
        call.answer("reply 4")
    await process.hear(5)
    async with process.answering() as call:
        assert is_summary(call) is again
        call.answer("reply 5")
        if again:
            (await process.writer.next_call()).answer("reply 5")
    assert process.courier.sent[-1] == "reply 5"
