"""What goes out: parts in order, Telegram's refusals and silences, the model's failures."""

import asyncio

import pytest

from bot.parts import MESSAGE_LIMIT
from bot.rich.limits import RICH_LIMIT
from bot.standins.faults import (
    Call,
    DropAfter,
    Fault,
    ModelFault,
    Refuse,
    RefuseCompletion,
)
from bot.standins.model_calls import ModelCall
from bot.standins.replies import NEW_MESSAGES
from tests.support.neighbours import Neighbours, running_bot
from tests.support.said import APOLOGY
from tests.support.waiting import rows_of, until_found, until_settled

ADA, BOB = 501, 502
RUN_STATES = "SELECT state, reason FROM runs WHERE chat_id = 501 ORDER BY number"
HELD_BACK = "SELECT 1 FROM conversations WHERE deliver_after IS NOT NULL"
PARTS = "SELECT state, attempts FROM outbox ORDER BY chat_id, run, part"


def is_to_ada(call: Call) -> bool:
    return call.method in NEW_MESSAGES and call.params["chat_id"] == str(ADA)


def fault_on_sends(around: Neighbours, *faults: Fault) -> None:
    """Have the next messages to Ada meet these faults, in order."""
    waiting = list(faults)

    async def hook(call: Call) -> Fault | None:
        return waiting.pop(0) if is_to_ada(call) and waiting else None

    around.telegram.hook = hook


def fault_on_calls(around: Neighbours, *faults: ModelFault) -> None:
    """Have the next model calls meet these faults, in order."""
    waiting = list(faults)

    async def hook(_call: ModelCall) -> ModelFault | None:
        return waiting.pop(0) if waiting else None

    around.model.hook = hook


async def states(around: Neighbours) -> list[str]:
    return [row.state for row in await rows_of(around.database_url, RUN_STATES)]


async def one_reply(around: Neighbours, **settings: object) -> list[str]:
    """Have Ada write once; everything she saw when it was over."""
    async with running_bot(around.settings(**settings)):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        await until_settled(around.database_url)
    return [sent.text for sent in around.seen_by(ADA)]


@pytest.mark.parametrize(("is_rich", "most"), [(True, RICH_LIMIT), (False, MESSAGE_LIMIT)])
async def test_g7_a_long_reply_comes_in_parts_and_in_order(
    around: Neighbours, is_rich: bool, most: int
) -> None:
    words = " ".join(str(number) for number in range(most // 2))
    around.model.answer = lambda _messages: words
    parts = await one_reply(around, rich_text=is_rich)
    assert len(parts) > 2
    assert all(len(part) <= most for part in parts)
    assert " ".join(parts).split() == words.split()


async def test_429_holds_back_that_chat_alone(around: Neighbours) -> None:
    # Long enough for Bob's answer, however slow the machine is.
    fault_on_sends(around, Refuse(429, "Too Many Requests: retry after 6", retry_after=6))
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        around.telegram.say(BOB, "hello")
        [to_bob] = await around.telegram.wait_for_reply(BOB)
        [to_ada] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    first, second = (call.at for call in around.telegram.calls if is_to_ada(call))
    assert second - first > 5.5
    assert to_bob.at < to_ada.at
    assert len(around.model.calls) == 2


@pytest.mark.parametrize(
    "fault",
    [
        Refuse(500, "Internal Server Error"),
        Refuse(502, "", raw_body=b"<html>Bad Gateway</html>"),
        Refuse(500, "", raw_body=b'{"ok":false,"error_code":500}'),
        Refuse(401, "Unauthorized"),
        Refuse(503, "", raw_body=b""),
    ],
)
async def test_g7_a_failed_send_is_tried_again_without_a_model_call(
    around: Neighbours, fault: Fault
) -> None:
    fault_on_sends(around, fault)
    assert len(await one_reply(around)) == 1
    assert len(around.model.calls) == 1


@pytest.mark.parametrize(
    ("policy", "seen", "state"),
    [("balanced", 1, "unconfirmed"), ("hold", 1, "unconfirmed"), ("resend", 2, "sent")],
)
async def test_an_answer_that_never_came_is_held_or_resent_as_ruled(
    around: Neighbours, policy: str, seen: int, state: str
) -> None:
    fault_on_sends(around, DropAfter())
    assert len(await one_reply(around, on_uncertain_delivery=policy)) == seen
    assert [row.state for row in await rows_of(around.database_url, PARTS)] == [state]


async def test_g7_a_refused_connection_is_tried_again(around: Neighbours) -> None:
    gate = asyncio.Event()

    async def hook(_call: ModelCall) -> None:
        await gate.wait()

    around.model.hook = hook
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        await around.telegram.stop()
        gate.set()
        await until_found(around.database_url, HELD_BACK)
        await around.telegram.start()
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [row.state for row in await rows_of(around.database_url, PARTS)] == ["sent"]
    assert len(around.seen_by(ADA)) == 1


async def test_g10_a_blocked_bot_gives_up_until_they_write_again(around: Neighbours) -> None:
    gate = asyncio.Event()

    async def hook(_call: ModelCall) -> None:
        await gate.wait()

    around.model.hook = hook
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        around.telegram.block(ADA)
        gate.set()
        await until_settled(around.database_url)
        assert await states(around) == ["undeliverable"]
        around.telegram.say(ADA, "back again")
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert "back again" in reply.text
    assert len(around.model.calls) == 2


async def test_g10_the_model_recovers_and_nobody_notices(around: Neighbours) -> None:
    fault_on_calls(
        around,
        RefuseCompletion(429, "rate_limit_exceeded", "slow down", retry_after=1),
        RefuseCompletion(500, None, "oops"),
    )
    [reply] = await one_reply(around)
    assert "hello" in reply
    assert await states(around) == ["postponed", "postponed", "sent"]


async def test_g10_too_many_failures_end_in_one_apology(around: Neighbours) -> None:
    fault_on_calls(around, *[RefuseCompletion(503, None, "overloaded")] * 2)
    assert await one_reply(around, model_max_attempts=2) == [APOLOGY]
    assert await states(around) == ["postponed", "failed"]


async def test_g10_a_failure_for_good_ends_in_one_apology_at_once(around: Neighbours) -> None:
    fault_on_calls(around, RefuseCompletion(400, "context_length_exceeded", "too long"))
    assert await one_reply(around) == [APOLOGY]
    assert await states(around) == ["failed"]
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "again")
        await around.telegram.wait_for_reply(ADA, count=2)
    assert APOLOGY not in str(around.model.calls[-1].messages)


async def test_typing_is_shown_while_the_model_works(around: Neighbours) -> None:
    async def until_typing(_call: ModelCall) -> None:
        await around.telegram.wait_for_calls("sendChatAction")

    around.model.hook = until_typing
    await one_reply(around, streaming=False)
    assert [action.action for action in around.telegram.actions] == ["typing"]


async def test_the_history_reaches_the_model_and_is_bounded(around: Neighbours) -> None:
    async with running_bot(around.settings(history_messages=4, debounce_quiet_seconds=0.05)):
        for number in range(1, 5):
            around.telegram.say(ADA, f"question {number}")
            await around.telegram.wait_for_reply(ADA, count=number)
            await until_settled(around.database_url)
    last = around.model.calls[-1].messages
    assert [message["role"] for message in last] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert [message["content"] for message in last if message["role"] == "user"] == [
        "question 2",
        "question 3",
        "question 4",
    ]
