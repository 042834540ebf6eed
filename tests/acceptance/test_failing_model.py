"""The bot while the model fails, and afterwards: one reply or one apology, and no hammering."""

from itertools import pairwise

import pytest

from bot.words import Words
from coordination.breaker import FAILURES_TO_OPEN
from tests.support.neighbours import Neighbours, running_bot
from tests.support.said import APOLOGY
from tests.support.two_people import (
    ADA,
    LATER,
    assert_one_burst_is_answered,
    bot_for_both,
    replies,
    write,
)
from tests.support.waiting import until_settled

pytestmark = pytest.mark.usefixtures("steady_pauses")

LEAST_PAUSE = 0.2


def assert_not_hammered(around: Neighbours) -> None:
    times = [call.started for call in around.model.calls]
    assert min(later - earlier for earlier, later in pairwise(times)) >= LEAST_PAUSE


@pytest.mark.parametrize(
    ("fault", "argument"),
    [("429", 0.3), ("500", None), ("hang", None), ("cut", 1), ("drop", 1), ("malformed", 1)],
)
async def test_g1_a_fault_that_passes_delays_the_reply(
    around: Neighbours, fault: str, argument: float | None
) -> None:
    switches = around.model.switches
    patience = {"model_timeout_seconds": 4} if fault == "hang" else {}
    async with running_bot(around.settings(**patience)):
        switches.on(fault, argument)
        around.telegram.say(ADA, "hello")
        await switches.wait_for_strikes(fault, 2)
        switches.off(fault)
        await until_settled(around.database_url)
        [reply] = around.seen_by(ADA)
    assert "hello" in reply.text
    assert len(around.model.calls) == 3
    assert_not_hammered(around)


@pytest.mark.parametrize("fault", ["500", "malformed"])
async def test_g10_a_fault_that_stays_ends_in_one_apology(around: Neighbours, fault: str) -> None:
    async with running_bot(around.settings(model_max_attempts=2)):
        around.model.switches.on(fault)
        around.telegram.say(ADA, "hello")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
        around.model.switches.off(fault)
        around.telegram.say(ADA, "again")
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    apology, reply = (sent.text for sent in around.seen_by(ADA))
    assert apology == APOLOGY
    assert "again" in reply
    assert len(around.model.calls) == 3


async def test_who_waits_for_a_model_that_is_away_is_told_once_and_then_answered(
    around: Neighbours,
) -> None:
    switches, ada = around.model.switches, around.telegram
    async with running_bot(around.settings(model_max_attempts=6, outage_notice_seconds=0.5)):
        switches.on("500")
        ada.say(ADA, "hello", language_code="ru")
        await ada.wait_for_reply(ADA)
        ada.say(ADA, "are you there?", language_code="ru")
        # It would have given up by now, and said it a second time.
        await switches.wait_for_strikes("500", FAILURES_TO_OPEN + 3)
        assert [sent.text for sent in around.seen_by(ADA)] == [Words().say("please-wait", "ru")]
        switches.off("500")
        await ada.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    [_, reply] = around.seen_by(ADA)
    assert "hello" in reply.text
    assert "are you there?" in reply.text


@pytest.mark.parametrize(("fault", "calls"), [("too-long", 1), ("no-quota", 1), ("empty", 2)])
async def test_g10_a_fault_for_good_ends_in_one_apology(
    around: Neighbours, fault: str, calls: int
) -> None:
    async with bot_for_both(around):
        around.model.switches.on(fault)
        write(around)
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
        assert replies(around) == [[APOLOGY]] * 2
        assert len(around.model.calls) == 2 * calls
        around.model.switches.off(fault)
        write(around, LATER)
        await around.model.wait_for_calls(2 * calls + 2)
        await until_settled(around.database_url)
    assert [len(seen) for seen in replies(around)] == [2, 2]
    assert len(around.model.calls) == 2 * calls + 2


async def test_g1_an_empty_answer_is_asked_for_again(around: Neighbours) -> None:
    around.model.switches.on("empty", count=1)
    await assert_one_burst_is_answered(around, calls=3)


async def test_g1_a_first_word_that_is_late(around: Neighbours) -> None:
    around.model.switches.on("late", 0.5)
    await assert_one_burst_is_answered(around, calls=2)


async def test_g7_a_huge_answer_comes_whole_and_in_order(around: Neighbours) -> None:
    around.model.switches.on("huge")
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        await until_settled(around.database_url)
    [call] = around.model.calls
    assert len(call.text) > 199_900
    parts = [sent.text for sent in around.seen_by(ADA)]
    assert len(parts) == 7
    assert " ".join(parts).split() == call.text.split()
