"""Parts go out in order, each written down before and after, whatever Telegram says."""

import pytest

from coordination.ports import Delivered, Delivery, NotNow, Unconfirmed, Unreachable
from coordination.rules import OnUncertainDelivery
from storage.database import Database
from storage.records import Released
from tests.support.one_process import OneProcess
from tests.support.replies import (
    assert_finished,
    assert_postponed,
    committed,
    deliver,
    found_in_sending,
    states,
)

RULINGS: tuple[OnUncertainDelivery, ...] = ("balanced", "hold", "resend")
NO_ANSWER, BUSY, BLOCKED = Unconfirmed("no answer"), NotNow("busy", 40), Unreachable("blocked")


async def test_g1_parts_go_out_in_order_and_finish_the_run(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one", "two", "three")
    assert await deliver(process, taken) == Released(None)
    assert process.courier.sent == ["one", "two", "three"]
    assert await states(db) == ["sent", "sent", "sent"]
    await assert_finished(db, "sent")


async def test_g7_parts_that_went_out_are_not_sent_again(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one", "two")
    process.courier.script = [Delivered(901), BUSY]
    assert await deliver(process, taken)
    await assert_postponed(db, 40, 40)
    # Forty seconds later, to this process.
    await db.fetch("UPDATE conversations SET deliver_after = now() RETURNING 1", {})
    assert await deliver(process, await process.take()) == Released(None)
    assert process.courier.sent == ["one", "two", "two"]
    await assert_finished(db, "sent")


@pytest.mark.parametrize("ruling", RULINGS)
@pytest.mark.parametrize("is_found", [False, True], ids=["pending", "found in sending"])
async def test_g7_a_part_that_is_delivered(
    db: Database, ruling: OnUncertainDelivery, is_found: bool
) -> None:
    process = OneProcess(db, "ada", on_uncertain_delivery=ruling)
    taken = await (found_in_sending if is_found else committed)(process, "one")
    assert await deliver(process, taken) == Released(None)
    is_held = is_found and ruling == "hold"
    assert process.courier.sent == ([] if is_held else ["one"])
    assert await states(db) == ["unconfirmed" if is_held else "sent"]
    await assert_finished(db, "sent")


@pytest.mark.parametrize("ruling", ["balanced", "hold"])
async def test_an_answer_that_never_came_is_taken_for_a_delivery(
    db: Database, ruling: OnUncertainDelivery
) -> None:
    process = OneProcess(db, "ada", on_uncertain_delivery=ruling)
    taken = await committed(process, "one", "two")
    process.courier.script = [NO_ANSWER]
    assert await deliver(process, taken) == Released(None)
    assert process.courier.sent == ["one", "two"]
    assert await states(db) == ["unconfirmed", "sent"]
    await assert_finished(db, "sent")


async def test_an_answer_that_never_came_is_asked_for_again_if_so_ruled(db: Database) -> None:
    process = OneProcess(db, "ada", on_uncertain_delivery="resend")
    taken = await committed(process, "one", "two")
    process.courier.script = [NO_ANSWER]
    assert await deliver(process, taken)
    assert await states(db) == ["pending", "pending"]
    await assert_postponed(db, 0, 2)


@pytest.mark.parametrize("ruling", ["balanced", "resend"])
@pytest.mark.parametrize("is_found", [False, True], ids=["pending", "found in sending"])
@pytest.mark.parametrize(
    ("delivery", "at_least", "at_most"),
    [(NotNow("busy", 40), 40, 40), (NotNow("503"), 0, 4)],
    ids=["as long as Telegram wishes", "a while"],
)
async def test_g10_not_now_keeps_the_reply_for_later(
    db: Database,
    ruling: OnUncertainDelivery,
    is_found: bool,
    delivery: Delivery,
    at_least: float,
    at_most: float,
) -> None:
    process = OneProcess(db, "ada", on_uncertain_delivery=ruling)
    taken = await (found_in_sending if is_found else committed)(process, "one", "two")
    process.courier.script = [delivery]
    assert await deliver(process, taken)
    assert process.courier.sent == ["one"]
    assert await states(db) == ["pending", "pending"]
    await assert_postponed(db, at_least, at_most)


@pytest.mark.parametrize("is_found", [False, True], ids=["pending", "found in sending"])
async def test_g10_an_unreachable_chat_ends_the_run(db: Database, is_found: bool) -> None:
    process = OneProcess(db, "ada")
    taken = await (found_in_sending if is_found else committed)(process, "one", "two")
    process.courier.script = [BLOCKED]
    assert await deliver(process, taken) == Released(None)
    assert process.courier.sent == ["one"]
    assert await states(db) == ["refused", "refused"]
    await assert_finished(db, "undeliverable")


async def test_g10_a_chat_that_becomes_unreachable_keeps_what_it_has(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one", "two", "three")
    process.courier.script = [Delivered(901), BLOCKED]
    assert await deliver(process, taken) == Released(None)
    assert await states(db) == ["sent", "refused", "refused"]
    await assert_finished(db, "undeliverable")
