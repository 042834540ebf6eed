"""G9: a call whose run is no more, or whose database is away, and what its policy makes of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from coordination.tools.ledger import UNKNOWN
from storage import leases
from storage.database import Database
from tests.support.edges import ModelCall
from tests.support.ends import assert_answered
from tests.support.gates import Gate
from tests.support.one_process import OneProcess
from tests.support.points import away, once_at
from tests.support.tool_box import Shop

ARGUMENTS: dict[str, dict[str, object]] = {
    "book": {"day": "Monday"},
    "send": {"text": "hello"},
    "pay": {"amount": 5},
}
SAID = {"book": "booked for 2 on Monday", "send": "hello is sent", "pay": "paid 5"}


@asynccontextmanager
async def dead_at(database_url: str, shop: Shop, point: str, tool: str) -> AsyncIterator[None]:
    """Ada's process stands at that point of the call for ever, as far as anybody can tell."""
    gate = Gate()
    db = Database(database_url, once_at(point, gate.pass_through))
    ada = OneProcess(db, "ada", shop.box)
    try:
        await ada.hear(1)
        async with ada.answering() as call:
            call.calls(tool, **ARGUMENTS[tool])
            await gate.arrival()
            assert await leases.free_leases_of(db, ["ada"])
            yield
            # It was only frozen: whatever it does now changes nothing any more.
            gate.open()
            await ada.keeper.beat()
            if not ada.writer.calls[-1].was_cancelled and len(ada.writer.calls) > 1:
                ada.writer.calls[-1].answer("too late")
        assert ada.courier.sent == []
    finally:
        await db.close()


async def answers(successor: OneProcess, call: ModelCall, tool: str) -> str:
    """What the successor's model knows of the call before it asks, and hears when it does."""
    known = call.turns[-1].text
    call.calls(tool, **ARGUMENTS[tool])
    then = await successor.writer.next_call()
    assert then.turns[-1].text == known
    then.answer("Done.")
    return known


ACTED = ("after tool_call", "before settle_effect")
NOT_YET = ("after claim_effect", "before tool_call")


@pytest.mark.parametrize("point", [*NOT_YET, *ACTED])
@pytest.mark.parametrize("tool", ["book", "send", "pay"])
async def test_g9_a_call_of_a_dead_process_is_resolved_as_the_tool_says(
    db: Database, database_url: str, shop: Shop, point: str, tool: str
) -> None:
    had_acted = point in ACTED
    successor = OneProcess(db, "bob", shop.box)
    successor.dead.add("ada")
    async with dead_at(database_url, shop, point, tool):
        assert shop.effects == had_acted
        async with successor.answering() as call:
            said = await answers(successor, call, tool)
        in_time = dict(shop.done)
    match tool:
        case "book":  # the same key, by which the other side knows it again
            assert (list(in_time.values()), said) == ([1 + had_acted], SAID[tool])
        case "send":
            assert (list(in_time.values()), said) == (
                [1],
                "hello was sent before" if had_acted else SAID[tool],
            )
        case _:
            assert (list(in_time.values()), said) == ([1] if had_acted else [], UNKNOWN)
    assert successor.courier.sent == ["Done."]
    await assert_answered(db, 1)


async def test_g9_who_is_still_at_work_is_waited_for(
    db: Database, database_url: str, shop: Shop
) -> None:
    """Its lease is lost, and nothing proves that it is dead: to find it busy is no failure."""
    looked = Gate()
    looked.open()
    watched = Database(database_url, once_at("after claim_effect", looked.pass_through))
    successor = OneProcess(watched, "bob", shop.box)
    shop.gate = Gate()
    ada = OneProcess(db, "ada", shop.box)
    await ada.hear(1)
    async with ada.answering() as call:
        call.calls("pay", amount=5)
        await shop.gate.arrival()
        await leases.free_leases_of(db, ["ada"])
        async with successor.answering_at_last(looked, shop.gate) as theirs:
            assert theirs.turns[-1].text == "paid 5"
            theirs.answer("Paid.")
        await ada.keeper.beat()
    assert (shop.effects, successor.courier.sent) == (1, ["Paid."])
    [postponed] = await db.fetch("SELECT model_attempts FROM conversations", {})
    assert postponed.model_attempts == 0
    await watched.close()


@pytest.mark.parametrize(
    "point",
    [
        "before claim_effect",
        "after claim_effect",
        "before tool_call",
        "after tool_call",
        "before settle_effect",
        "after settle_effect",
        "before replay_effect",
        "after replay_effect",
    ],
)
@pytest.mark.parametrize("tool", ["book", "send", "pay"])
async def test_g9_a_database_that_is_away_for_a_moment(
    database_url: str, shop: Shop, tool: str, point: str
) -> None:
    db = Database(database_url, once_at(point, away))
    process = OneProcess(db, "ada", shop.box)
    await process.hear(1)
    async with process.answering() as call:
        call.calls(tool, **ARGUMENTS[tool])
        then = await process.writer.next_call()
        said = await answers(process, then, tool)
    if tool == "book":
        # Called again with its key after it acted: that is what it declared.
        assert list(shop.done.values()) == [1 + (point == "after tool_call")]
        assert said == SAID[tool]
    elif "tool_call" not in point:
        assert (shop.effects, said) == (1, SAID[tool])
    elif tool == "send":
        assert shop.effects == (point == "after tool_call")
    else:
        assert (shop.effects, said) == (point == "after tool_call", UNKNOWN)
    await assert_answered(db, 1)
    await db.close()


@pytest.mark.parametrize("tool", ["send", "pay"])
async def test_g9_a_take_over_whose_answer_was_lost_still_follows_the_policy(
    database_url: str, shop: Shop, tool: str
) -> None:
    db = Database(database_url, once_at("after take_over_effect", away))
    successor = OneProcess(db, "bob", shop.box)
    successor.dead.add("ada")
    async with (
        dead_at(database_url, shop, "before settle_effect", tool),
        successor.answering() as call,
    ):
        said = await answers(successor, call, tool)
    assert said == {"send": "hello was sent before", "pay": UNKNOWN}[tool]
    assert shop.effects == 1
    await db.close()
