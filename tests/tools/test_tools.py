"""G9: a tool's side effect happens once per burst, however often the run is repeated."""

import asyncio

import pytest

from coordination.lease_keeper import Stop
from coordination.tools.tool import ToolFailed
from llm.contract import TryLater
from storage.database import Database
from tests.support.ends import assert_answered, run_states
from tests.support.gates import Gate
from tests.support.one_process import DUE_NOW, OneProcess
from tests.support.tool_box import Shop
from tests.support.tool_talk import EFFECTS, outcomes, told

EXPIRE = "UPDATE conversations SET lease_expires_at = now() - interval '1 s' RETURNING 1"


async def test_g9_a_tool_is_called_and_its_result_reaches_the_model(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        then = await process.writer.next_call()
        assert [turn.role for turn in then.turns] == ["system", "user", "assistant", "tool"]
        assert then.turns[-1].text == "booked for 2 on Monday"
        then.answer("Your table is booked.")
    assert process.courier.sent == ["Your table is booked."]
    assert shop.effects == 1
    await assert_answered(db, 1)


async def test_g9_a_superseded_run_has_acted_and_the_next_one_does_not_act_again(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        await process.writer.next_call()
        await process.hear(2)
    async with process.answering() as call:
        assert [turn.role for turn in call.turns[1:]] == ["user", "assistant", "tool", "user"]
        said = await told(process, call, "book", people=2, day=" Monday ")
    assert said == "booked for 2 on Monday"
    assert shop.effects == 1
    assert await outcomes(db) == ["done", "replayed"]
    await assert_answered(db, 2)


async def test_g9_a_run_that_is_superseded_while_the_tool_acts_records_it_first(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.gate = Gate()
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        await shop.gate.arrival()
        await process.hear(2)
        shop.gate.open()
    assert await run_states(db) == ["superseded"]
    async with process.answering() as call:
        assert call.turns[3].text == "booked for 2 on Monday"
        call.answer("Booked.")
    assert shop.effects == 1


@pytest.mark.parametrize("end", ["postponed", "handed_over"])
async def test_g9_a_run_that_is_tried_again_gets_the_recorded_result(
    process: OneProcess, db: Database, shop: Shop, end: str
) -> None:
    await process.hear(1)
    async with process.answering() as call:
        call.calls("pay", amount=5)
        then = await process.writer.next_call()
        if end == "postponed":
            then.fail(TryLater("busy"))
        else:
            process.keeper.stop_all(Stop.SHUTTING_DOWN)
    await db.fetch(DUE_NOW, {})
    successor = OneProcess(db, "bob", shop.box)
    async with successor.answering() as call:
        assert await told(successor, call, "pay", amount=5) == "paid 5"
    assert await run_states(db) == [end, "sent"]
    assert shop.effects == 1


async def test_g9_a_hundred_repeats_are_one_effect(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    await process.hear(1)
    for number in range(100):
        async with process.answering() as call:
            call.calls("book", day="Monday" + " " * (number % 3))
            then = await process.writer.next_call()
            assert then.turns[-1].text == "booked for 2 on Monday"
            process.keeper.stop_all(Stop.SHUTTING_DOWN)
    assert list(shop.done.values()) == [1]
    assert await outcomes(db) == ["done", *["replayed"] * 99]


async def test_g9_another_call_and_another_burst_act_again(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    for number in (1, 2):
        await process.hear(number)
        async with process.answering() as call:
            call.calls("book", day="Monday")
            then = await process.writer.next_call()
            await told(process, then, "book", day="Tuesday")
    assert sorted(shop.done.values()) == [1, 1, 1, 1]
    await assert_answered(db, 2)


async def test_g9_what_failed_is_recorded_too(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    shop.troubles = [ToolFailed("No table is free."), ToolFailed("Never asked.")]
    await process.hear(1)
    async with process.answering() as call:
        call.calls("book", day="Monday")
        then = await process.writer.next_call()
        assert await told(process, then, "book", day="Monday") == "No table is free."
    assert shop.effects == 1
    assert [tuple(row) for row in await db.fetch(EFFECTS, {})] == [("failed", "No table is free.")]


async def test_a_lease_that_ran_out_is_renewed_and_the_call_made(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    """Nobody took it: the reply would go out, so the tool must be called."""
    await process.hear(1)
    async with process.answering() as call:
        await db.fetch(EXPIRE, {})
        call.calls("book", day="Monday")
        beating = asyncio.create_task(beat_on(process))
        then = await process.writer.next_call()
        beating.cancel()
        assert then.turns[-1].text == "booked for 2 on Monday"
        then.answer("Booked.")
    assert shop.effects == 1
    await assert_answered(db, 1)


async def beat_on(process: OneProcess) -> None:
    while True:
        await process.keeper.beat()
        await asyncio.sleep(0.05)


async def test_g3_who_lost_the_lease_does_not_act(
    process: OneProcess, db: Database, shop: Shop
) -> None:
    other = OneProcess(db, "bob", shop.box)
    await process.hear(1)
    async with process.answering() as call:
        await db.fetch(EXPIRE, {})
        async with other.answering() as theirs:
            call.calls("book", day="Monday")
            await process.keeper.beat()
            theirs.answer("No tools.")
    assert shop.effects == 0
    assert other.courier.sent == ["No tools."]
