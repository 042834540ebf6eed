"""The bot while Telegram fails, and afterwards: nothing lost, nothing twice, no hot loop."""

import asyncio
from itertools import pairwise

import pytest

from bot.standins.faults import Call
from bot.standins.model_calls import ModelCall
from bot.standins.replies import NEW_MESSAGES
from tests.support.neighbours import Neighbours
from tests.support.two_people import (
    ADA,
    BOB,
    BURST,
    assert_answered_once,
    assert_one_burst_is_answered,
    bot_for_both,
    replies,
    write,
)
from tests.support.waiting import rows_of, until_found, until_settled

pytestmark = pytest.mark.usefixtures("steady_pauses")

PARTS = "SELECT state FROM outbox ORDER BY chat_id, run, part"
HELD_BACK = "SELECT chat_id FROM conversations WHERE deliver_after IS NOT NULL"
POLLING = "SELECT holder FROM pollers WHERE holder IS NOT NULL"
LEAST_PAUSE = 0.1


def assert_no_hot_loop(around: Neighbours, method: str, since: int) -> None:
    times = [call.at for call in around.telegram.calls[since:] if call.method == method]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert pauses
    assert min(pauses) >= LEAST_PAUSE


@pytest.mark.parametrize(
    ("fault", "argument", "state", "seen"),
    [
        ("429", 1, "sent", 1),
        ("500", None, "sent", 1),
        ("502", None, "sent", 1),
        ("401", None, "sent", 1),
        ("drop-before", None, "unconfirmed", 0),
        ("drop-after", None, "unconfirmed", 1),
        ("garbled-before", None, "unconfirmed", 0),
        ("garbled-after", None, "unconfirmed", 1),
    ],
)
async def test_g6_g7_calls_fail(
    around: Neighbours, fault: str, argument: float | None, state: str, seen: int
) -> None:
    switches = around.telegram.switches
    async with bot_for_both(around):
        await around.telegram.wait_for_calls("getUpdates")
        began = len(around.telegram.calls)
        switches.on(fault, argument, methods=["getUpdates"])
        await switches.wait_for_strikes(fault, 1)
        write(around)
        await switches.wait_for_strikes(fault, 2)
        assert_no_hot_loop(around, "getUpdates", began)
        switches.on(fault, argument, methods=NEW_MESSAGES)
        await switches.wait_for_strikes(fault, 4)
        if state == "sent":
            switches.off(fault)
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
    assert [row.state for row in await rows_of(around.database_url, PARTS)] == [state] * 2
    assert len(around.model.calls) == 2
    assert [len(each) for each in replies(around)] == [seen] * 2
    if seen:
        assert_answered_once(around, BURST)


async def test_g1_all_calls_are_slow(around: Neighbours) -> None:
    around.telegram.switches.on("slow", 0.3)
    await assert_one_burst_is_answered(around, calls=2)


async def test_g6_another_program_polls_for_a_while(around: Neighbours) -> None:
    switches = around.telegram.switches
    async with bot_for_both(around):
        await around.telegram.wait_for_calls("getUpdates")
        began = len(around.telegram.calls)
        switches.on("409")
        write(around)
        await switches.wait_for_strikes("409", 4)
        assert_no_hot_loop(around, "getUpdates", began)
        switches.off("409")
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
    assert_answered_once(around, BURST)


async def test_g6_connections_are_refused(around: Neighbours) -> None:
    telegram, gate = around.telegram, asyncio.Event()

    async def hook(_call: ModelCall) -> None:
        await gate.wait()

    around.model.hook = hook
    async with bot_for_both(around):
        await telegram.wait_for_calls("getUpdates")
        telegram.switches.on("away", 1)
        await telegram.wait_until_switched()
        write(around)
        await around.model.wait_for_calls(2)
        telegram.switches.on("away")
        await telegram.wait_until_switched()
        gate.set()
        await until_found(around.database_url, HELD_BACK)
        telegram.switches.off("away")
        await until_settled(around.database_url)
    assert len(around.model.calls) == 2
    assert_answered_once(around, BURST)


@pytest.mark.parametrize("fault", ["429", "502", "drop-before", "garbled-after"])
async def test_it_starts_all_the_same(around: Neighbours, fault: str) -> None:
    around.telegram.switches.on(fault, count=1, methods=["getMe"])
    async with bot_for_both(around):
        write(around)
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
    assert around.telegram.switches.struck[fault] == 1
    assert_answered_once(around, BURST)


async def test_it_starts_while_telegram_is_away(around: Neighbours) -> None:
    url = around.telegram.url
    around.telegram.switches.on("away")
    await around.telegram.wait_until_switched()
    async with bot_for_both(around):
        await until_found(around.database_url, POLLING)
        write(around)
        around.telegram.switches.off("away")
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
    assert around.telegram.url == url
    assert_answered_once(around, BURST)


@pytest.mark.parametrize("method", ["sendChatAction", "sendMessageDraft"])
async def test_what_is_shown_meanwhile_delays_no_reply(around: Neighbours, method: str) -> None:
    slow = around.telegram.switches

    async def until_it_is_slow(_call: ModelCall) -> None:
        await slow.wait_for_strikes("slow")

    around.model.hook = until_it_is_slow
    slow.on("slow", 300, methods=[method])
    async with bot_for_both(around, streaming=method != "sendChatAction"):
        write(around)
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)


async def test_an_answer_that_comes_too_late_is_not_sent_again(
    around: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hook(call: Call) -> None:
        if call.method in NEW_MESSAGES:
            await until_settled(around.database_url)

    # Long enough for the request to leave, however slow the machine is.
    monkeypatch.setattr("bot.courier.REQUEST_SECONDS", 4)
    around.telegram.hook = hook
    async with bot_for_both(around):
        write(around)
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
        await around.telegram.wait_for_reply(ADA)
        await around.telegram.wait_for_reply(BOB)
    assert [row.state for row in await rows_of(around.database_url, PARTS)] == ["unconfirmed"] * 2
    assert_answered_once(around, BURST)
