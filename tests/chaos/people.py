"""What people wrote, what they saw, and what the model makes of it."""

import asyncio
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from bot.standins.answers import lines_since_last_answer
from bot.standins.faults import Call
from bot.standins.model_calls import ModelCall
from bot.standins.replies import NEW_MESSAGES
from bot.standins.telegram import TelegramStandIn
from tests.chaos.happenings import Say

MARK = re.compile(r"\bm(\d+)\b")
LONG_REPLIES = 0.2
LONG_PART = 17_000
MOST_MODEL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it was written."""

    chat_id: int
    thread_id: int
    message_id: int
    at: float


@dataclass(frozen=True, slots=True)
class Sight:
    """A message of the bot that somebody saw, and when its request reached Telegram."""

    chat_id: int
    thread_id: int
    text: str
    message_id: int
    arrived: float
    at: float


def marks(text: str) -> set[int]:
    """The numbers of the messages that a text repeats."""
    return {int(number) for number in MARK.findall(text)}


class People:
    """They write through a stand-in and note everything."""

    def __init__(self, telegram: TelegramStandIn) -> None:
        self._telegram = telegram
        self._arrived: dict[int, tuple[Call, float]] = {}
        self.said: dict[int, Said] = {}
        self.nonsense: list[int] = []
        telegram.hook = self._note_arrival

    def say(self, say: Say) -> None:
        message_id = self._telegram.say(
            say.chat_id, f"m{say.number}", message_thread_id=say.thread_id or None
        )
        self.said[say.number] = Said(say.chat_id, say.thread_id, message_id, time.monotonic())

    def say_nonsense(self, number: int) -> None:
        self.nonsense.append(number)
        self._telegram.push({"message": {"message_id": f"nonsense {number}"}})

    def seen(self) -> list[Sight]:
        """Everything they saw, in order."""
        return [
            Sight(
                sent.chat_id,
                sent.thread_id,
                sent.text,
                sent.message_id,
                self._arrived[id(sent.params)][1],
                sent.at,
            )
            for sent in self._telegram.sent
        ]

    async def _note_arrival(self, call: Call) -> None:
        # Kept with the call, so that no other parameters get the same identity.
        if call.method in NEW_MESSAGES:
            self._arrived[id(call.params)] = (call, call.at)


class Thinker:
    """The model: no two of its answers are the same, and each repeats what it was asked."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = count(1)

    def answer(self, messages: list[dict[str, Any]]) -> str:
        repeated = marks("\n".join(lines_since_last_answer(messages)))
        number = next(self._count)
        told = " ".join(f"m{mark}" for mark in sorted(repeated))
        if self._chance("length", repeated).random() >= LONG_REPLIES:
            return f"r{number}: {told}"
        return "\n\n".join(f"r{number}.{part}: {told} {'.' * LONG_PART}" for part in range(1, 4))

    async def think(self, call: ModelCall) -> None:
        repeated = marks("\n".join(lines_since_last_answer(call.messages)))
        await asyncio.sleep(self._chance("delay", repeated).uniform(0, MOST_MODEL_SECONDS))

    def _chance(self, what: str, repeated: Iterable[int]) -> Random:
        return Random(f"{self._seed}/{what}/{sorted(repeated)}")  # noqa: S311
