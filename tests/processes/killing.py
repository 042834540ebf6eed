"""One process, killed while each of its chats is at another point of its reply."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.standins.faults import Call
from bot.standins.model_calls import ModelCall
from bot.standins.replies import NEW_MESSAGES
from tests.support.gates import Gate, OutboxGates, outbox_gates
from tests.support.neighbours import Neighbours
from tests.support.processes import BOT, BotProcess, bot_process
from tests.support.waiting import rows_of, until_found, until_settled
from tests.support.whole_bursts import HELD_OPEN, closed_when_whole

IN_WINDOW = 601
GENERATING = 602
COMMITTED = 603
BETWEEN_PARTS = 604
SENDING = 605
POINTS = (IN_WINDOW, GENERATING, COMMITTED, BETWEEN_PARTS, SENDING)
LONG = "a long story"

OPEN_WINDOW = """
SELECT chat_id FROM windows
WHERE chat_id = :chat_id AND closes_at > clock_timestamp() AND consumed_by IS NULL
"""
PARTS = "SELECT state FROM outbox WHERE chat_id = :chat_id ORDER BY part"
RUNS = "SELECT state FROM runs WHERE chat_id = :chat_id ORDER BY number"


@dataclass(frozen=True)
class Aftermath:
    """What one chat came to, once everything was answered."""

    seen: Sequence[str]
    model_calls: Sequence[str]
    runs: Sequence[str]
    parts: Sequence[str]


class Scene:
    """The chats and the gates that hold their process."""

    def __init__(self, around: Neighbours, outbox: OutboxGates) -> None:
        self._around = around
        self._outbox = outbox
        self._thinking, self._on_its_way = Gate(), Gate()
        around.model.answer = tell
        around.model.hook = self._hold_model
        around.telegram.hook = self._hold_telegram

    async def _hold_model(self, call: ModelCall) -> None:
        if subject_of(call) == GENERATING:
            await self._thinking.pass_through()

    async def _hold_telegram(self, call: Call) -> None:
        if is_message_to(SENDING, call) and written_in(call).endswith("b"):
            await self._on_its_way.pass_through()

    async def reach_every_point(self) -> None:
        await self._outbox.close(COMMITTED, 1)
        await self._outbox.close(BETWEEN_PARTS, 2)
        for chat_id in (GENERATING, COMMITTED):
            self._around.telegram.say(chat_id, f"{chat_id}: hello")
        for chat_id in (BETWEEN_PARTS, SENDING):
            self._around.telegram.say(chat_id, f"{chat_id}: {LONG}")
        async with closed_when_whole(self._around.database_url, 1):
            await self._outbox.arrival(COMMITTED, 1)
            await self._outbox.arrival(BETWEEN_PARTS, 2)
            await self._thinking.arrival()
            await self._on_its_way.arrival()
        self._around.telegram.say(IN_WINDOW, f"{IN_WINDOW}: hello")
        await until_found(self._around.database_url, OPEN_WINDOW, {"chat_id": IN_WINDOW})

    async def kill(self, process: BotProcess) -> None:
        await process.kill()
        await self._outbox.hang_up(COMMITTED, 1)
        await self._outbox.hang_up(BETWEEN_PARTS, 2)
        # Telegram accepts what a process sent that does not live to hear of it.
        self._on_its_way.open()
        self._thinking.open()
        assert not await self._rows(RUNS, IN_WINDOW), "its window was open"

    @asynccontextmanager
    async def process(self, module: str = BOT, **settings: object) -> AsyncIterator[BotProcess]:
        environment = self._around.environment(**HELD_OPEN, **settings)
        async with bot_process(environment, module=module) as process:
            yield process

    async def aftermath(self, survivor: BotProcess) -> dict[int, Aftermath]:
        """What came of each chat; the guarantees must hold."""
        await survivor.logged("polling_started")
        async with closed_when_whole(self._around.database_url, 1):
            await until_settled(self._around.database_url)
        assert await survivor.terminate() == 0
        assert not survivor.events("polling_failed")
        return {chat_id: await self._aftermath_of(chat_id) for chat_id in POINTS}

    async def _aftermath_of(self, chat_id: int) -> Aftermath:
        return Aftermath(
            seen=[sent.text[-1] for sent in self._around.seen_by(chat_id)],
            model_calls=[
                call.outcome for call in self._around.model.calls if subject_of(call) == chat_id
            ],
            runs=await self._rows(RUNS, chat_id),
            parts=await self._rows(PARTS, chat_id),
        )

    async def _rows(self, sql: str, chat_id: int) -> list[str]:
        rows = await rows_of(self._around.database_url, sql, {"chat_id": chat_id})
        return [row.state for row in rows]


@asynccontextmanager
async def scene(around: Neighbours) -> AsyncIterator[Scene]:
    async with outbox_gates(around.database_url) as outbox:
        yield Scene(around, outbox)


def tell(messages: list[dict[str, Any]]) -> str:
    """A reply of one part, or of three that end in a, b and c."""
    text = str(messages[-1]["content"])
    if LONG not in text:
        return f"{text} to you"
    return "\n\n".join(f"{text} {'.' * 20_000} {letter}" for letter in "abc")


def is_message_to(chat_id: int, call: Call) -> bool:
    return call.method in NEW_MESSAGES and call.params["chat_id"] == str(chat_id)


def written_in(call: Call) -> str:
    """What the message says."""
    rich = call.params.get("rich_message")
    return str(json.loads(rich)["markdown"]) if rich else call.params["text"]


def subject_of(call: ModelCall) -> int:
    """The chat that the model was asked about."""
    return int(str(call.messages[-1]["content"]).partition(":")[0])
