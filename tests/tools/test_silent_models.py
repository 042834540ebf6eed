"""Models that call a tool and then have nothing more to say."""

from llm.contract import NothingSaid
from storage.database import Database
from tests.support.ends import assert_answered
from tests.support.one_process import OneProcess
from tests.support.tool_box import Shop


async def test_what_the_model_said_before_its_call_is_the_answer_if_it_says_nothing_after_it(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.streams("Your table ", "is booked.\n")
        call.calls("book", day="Monday")
        (await process.writer.next_call()).fail(NothingSaid("empty answer twice"))
    assert process.courier.sent == ["Your table is booked."]
    await process.undoer.sweep()
    assert (shop.effects, shop.undone) == (1, [])
    await assert_answered(db, 1)


async def test_g10_a_model_that_says_nothing_at_all_ends_in_an_apology(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        (await process.writer.next_call()).fail(NothingSaid("empty answer twice"))
    assert process.courier.sent == ["Sorry."]
    await process.undoer.sweep()
    assert shop.undone == ["Monday"]
    await assert_answered(db, 1)
