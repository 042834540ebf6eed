"""Scenes of one conversation, each leading the bot past certain steps.

A scene sets up the neighbours, lets Ada write, and names what she wrote. It ends when nothing
more has to be said; whether the bot lives through it is the test's affair.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import TypeAlias

from bot.app import GRACE_SECONDS
from bot.rich.limits import RICH_LIMIT
from bot.standins.answers import friendly_answer
from bot.standins.faults import Call, Refuse, RefuseCompletion, Stall
from bot.standins.model_calls import ModelCall
from bot.standins.replies import NEW_MESSAGES
from coordination.breaker import FAILURES_TO_OPEN
from tests.support.neighbours import Neighbours
from tests.support.unhurried import LAST_GRACE_SECONDS
from tests.support.waiting import rows_of, until_found

ADA, GROUP = 501, -1001
OTHERS = range(601, 601 + FAILURES_TO_OPEN)

HELD_BACK_OR_SENT = """
SELECT chat_id FROM conversations
WHERE answered_seq > 0 OR (deliver_after > clock_timestamp() AND lease_holder IS NULL)
"""

TOLD_TO_WAIT = "SELECT 1 FROM events WHERE type = 'told_to_wait' AND chat_id = :chat_id"

EXPIRIES = "SELECT lease_expires_at, expires_at FROM conversations, pollers"

RENEWED = f"""
{EXPIRIES} WHERE lease_expires_at <> CAST(:lease AS timestamptz)
AND expires_at <> CAST(:polling AS timestamptz)
"""

ANSWERED_UP_TO = "SELECT 1 FROM conversations WHERE answered_seq = {}"

Stop: TypeAlias = Callable[[signal.Signals], None]
"""Sends a signal to the bot of the scene."""

Scene: TypeAlias = Callable[[Neighbours, Stop], Coroutine[object, object, None]]


async def plain(around: Neighbours, _stop: Stop) -> None:
    around.telegram.say(ADA, "first")
    around.telegram.say(ADA, "second")


async def with_a_document(around: Neighbours, stop: Stop) -> None:
    around.telegram.say_document(ADA, b"notes", "notes.txt", "text/plain")
    await plain(around, stop)


async def slow_model(around: Neighbours, stop: Stop) -> None:
    """The model takes its time until the bot has renewed whatever it holds."""

    async def hook(_call: ModelCall) -> None:
        [row] = await rows_of(around.database_url, EXPIRIES)
        before = {"lease": row.lease_expires_at, "polling": row.expires_at}
        await until_found(around.database_url, RENEWED, before)

    around.model.hook = hook
    await plain(around, stop)


async def interrupted(around: Neighbours, _stop: Stop) -> None:
    around.model.delay = 30
    around.telegram.say(ADA, "first")
    await around.model.wait_for_calls(1)
    around.model.delay = 0
    around.telegram.say(ADA, "second")


async def model_down(around: Neighbours, stop: Stop) -> None:
    answers = [RefuseCompletion(503, None, "overloaded")]

    async def hook(_call: ModelCall) -> RefuseCompletion | None:
        return answers.pop() if answers else None

    around.model.hook = hook
    await plain(around, stop)


async def model_away(around: Neighbours, stop: Stop) -> None:
    """The model is away for everybody, until Ada is told that she has to wait."""
    is_told = asyncio.Event()

    async def hook(_call: ModelCall) -> RefuseCompletion | None:
        return None if is_told.is_set() else RefuseCompletion(503, None, "overloaded")

    around.model.hook = hook
    for chat_id in OTHERS:
        around.telegram.say(chat_id, "hello")
    await plain(around, stop)
    await until_found(around.database_url, TOLD_TO_WAIT, {"chat_id": ADA})
    is_told.set()


async def throttled(around: Neighbours, _stop: Stop) -> None:
    """Ada writes on while Telegram makes her first reply wait: two replies in all."""
    # Long enough for her second window to close meanwhile, however busy the machine is.
    answers = [Refuse(429, "Too Many Requests: retry after 6", retry_after=6)]

    async def hook(call: Call) -> Refuse | None:
        return answers.pop() if call.method in NEW_MESSAGES and answers else None

    around.telegram.hook = hook
    around.telegram.say(ADA, "first")
    await until_found(around.database_url, HELD_BACK_OR_SENT)
    around.telegram.say(ADA, "second")


async def stopped(around: Neighbours, stop: Stop) -> None:
    """The process is asked to stop while the model takes its time."""
    around.model.delay = 60
    await plain(around, stop)
    await around.model.wait_for_calls(1)
    around.model.delay = 0
    stop(signal.SIGTERM)


async def stopped_while_sending(around: Neighbours, stop: Stop) -> None:
    """It is asked to stop, and Telegram takes longer over the first part of two than it waits."""
    stalls = [Stall(GRACE_SECONDS + LAST_GRACE_SECONDS / 2)]

    async def hook(call: Call) -> Stall | None:
        if call.method not in NEW_MESSAGES or not stalls:
            return None
        stop(signal.SIGTERM)
        return stalls.pop()

    around.telegram.hook = hook
    around.model.answer = lambda messages: f"{friendly_answer(messages)}\n{'.' * RICH_LIMIT}"
    await plain(around, stop)


async def too_rich(around: Neighbours, stop: Stop) -> None:
    """Telegram cannot read what is formatted, once."""
    answers = [Refuse(400, "Bad Request: can't parse rich message")]

    async def hook(call: Call) -> Refuse | None:
        return answers.pop() if call.method == "sendRichMessage" and answers else None

    around.telegram.hook = hook
    await plain(around, stop)


async def cancelled(around: Neighbours, stop: Stop) -> None:
    around.telegram.say(ADA, "/stop")
    await plain(around, stop)


async def commanded(around: Neighbours, stop: Stop) -> None:
    """Everything that one can ask of the bot itself, before a word is said to the model."""
    for text in ("/start link", "/retry", "/export"):
        around.telegram.say(ADA, text)
    ada = {"id": ADA, "is_bot": False, "first_name": "Ada"}
    button = {"message_id": 900_000, "date": 1, "chat": {"id": ADA, "type": "private"}}
    for data in ("language:ko", "streaming:off", "forget:yes"):
        query = {"id": data, "from": ada, "chat_instance": "1", "data": data, "message": button}
        around.telegram.push({"callback_query": query})
    await plain(around, stop)


async def broken_update(around: Neighbours, stop: Stop) -> None:
    around.telegram.push({"message": {"message_id": "not a number", "chat": {"id": ADA}}})
    await plain(around, stop)


async def in_a_group(around: Neighbours, stop: Stop) -> None:
    chat = {"id": GROUP, "type": "supergroup", "title": "Elsewhere"}
    around.telegram.push({"message": {"message_id": 1, "date": 1, "chat": chat, "text": "all"}})
    await plain(around, stop)


async def edited(around: Neighbours, _stop: Stop) -> None:
    number = around.telegram.say(ADA, "first, mispelt")
    around.telegram.say(ADA, "second")
    around.telegram.edit(ADA, number, "first")


async def enough(around: Neighbours, _stop: Stop) -> None:
    """Ada stops an answer of which she has seen all that matters."""
    around.model.answer = lambda messages: f"{friendly_answer(messages)} {'and so on ' * 100}"
    around.model.per_word = 0.05
    await plain(around, _stop)
    count = 1
    while "second" not in (await around.telegram.wait_for_draft(ADA, count))[-1].text:
        count += 1
    around.telegram.stop_draft(ADA)


async def remembered(around: Neighbours, _stop: Stop) -> None:
    """A third message, when the bot shows the model no more than the turn before."""
    for number, text in enumerate(("zeroth", "first", "second"), start=1):
        around.telegram.say(ADA, text)
        if text != "second":
            await until_found(around.database_url, ANSWERED_UP_TO.format(number))
