"""Scenes in which the model calls tools: what Ada is to see must not change for that.

The bot runs with the tools that come with it and those of `tests.support.shared_tools`.
"""

import asyncio
from typing import Any

from bot.standins.answers import friendly_answer
from bot.standins.faults import RefuseCompletion
from bot.standins.model_calls import ModelCall
from bot.standins.tool_choice import ToolUse
from tests.faults.scenes import ADA, Stop
from tests.support.neighbours import Neighbours
from tests.support.waiting import rows_of, until_found

TOOLS = "bot.tools.contacts,bot.tools.reminders,tests.support.shared_tools"
UNDONE = "SELECT 1 FROM effects HAVING count(*) > 0 AND bool_and(state IN ('undone', 'not_undone'))"
NONE_WAITS = "SELECT 1 FROM reminders HAVING count(*) > 0 AND bool_and(state <> 'waiting')"


UNDO_NOW = "UPDATE effects SET undo_due_at = now() WHERE state = 'to_undo' RETURNING 1"
LEAVE_BEHIND = """
INSERT INTO effects (chat_id, thread_id, key, burst, place, last_seq, tool, arguments,
    can_be_undone, holder, fence, expires_at, started_at)
SELECT chat_id, thread_id, 'left behind', answered_seq + 1, 1, answered_seq + 1, 'use_oven',
    '{"seconds": 0}', false, 'somebody', 0, now(), now()
FROM conversations WHERE answered_seq = 1
ON CONFLICT DO NOTHING RETURNING key
"""


def calling(*tools: ToolUse) -> Any:
    """A model that wants these called, one after the other, and then answers."""

    def answer(messages: list[dict[str, Any]]) -> str | list[ToolUse]:
        answered = sum(message["role"] == "tool" for message in messages)
        return [tools[answered]] if answered < len(tools) else friendly_answer(messages)

    return answer


def use(name: str, **arguments: object) -> ToolUse:
    return {"name": name, "arguments": arguments}


SAVE = use("save_contact", email="ada@example.org")
REMIND = use("remind_me", text="tea", in_seconds=0.1)
REMIND_LATER = use("remind_me", text="tea", in_seconds=3600)


def says(around: Neighbours) -> None:
    around.telegram.say(ADA, "first")
    around.telegram.say(ADA, "second")


async def contact(around: Neighbours, _stop: Stop) -> None:
    around.model.answer = calling(SAVE)
    says(around)


async def superseded(around: Neighbours, _stop: Stop) -> None:
    """The tool acted for a run that a second message drops; the model calls it again."""
    asked = 0

    async def hook(_call: ModelCall) -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            around.telegram.say(ADA, "second")
            await until_found(around.database_url, "SELECT 1 FROM messages WHERE text = 'second'")

    def answer(messages: list[dict[str, Any]]) -> str | list[ToolUse]:
        return [SAVE] if messages[-1]["role"] == "user" else friendly_answer(messages)

    around.model.answer, around.model.hook = answer, hook
    around.telegram.say(ADA, "first")


async def shared(around: Neighbours, _stop: Stop) -> None:
    around.model.answer = calling(use("use_oven", seconds=0))
    says(around)


async def shared_for_long(around: Neighbours, _stop: Stop) -> None:
    """Much longer than a third of the lease, after which it is renewed."""
    around.model.answer = calling(use("use_oven", seconds=4))
    says(around)


async def reminded(around: Neighbours, _stop: Stop) -> None:
    around.model.answer = calling(REMIND, use("list_reminders"))
    says(around)
    await until_found(around.database_url, NONE_WAITS)


async def cancelled(around: Neighbours, _stop: Stop) -> None:
    around.model.answer = calling(REMIND_LATER, use("cancel_reminder", number=1))
    says(around)


async def undone(around: Neighbours, _stop: Stop) -> None:
    """The model refuses once its tools have acted: an apology, and all of it is undone."""

    async def hook(call: ModelCall) -> RefuseCompletion | None:
        acted = sum(message["role"] == "tool" for message in call.messages)
        return RefuseCompletion(401, None, "no such key") if acted == 2 else None

    around.model.answer, around.model.hook = calling(SAVE, REMIND_LATER), hook
    says(around)
    # An undo whose claimant died is due again after a minute, for which nobody waits here.
    while not await rows_of(around.database_url, UNDONE):
        await rows_of(around.database_url, UNDO_NOW)
        await asyncio.sleep(0.5)


async def left_behind(around: Neighbours, _stop: Stop) -> None:
    """A call that another process began for Ada's burst, and did not live to record."""
    around.telegram.say(ADA, "zeroth")
    await until_found(around.database_url, LEAVE_BEHIND)
    says(around)
