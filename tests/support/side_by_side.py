"""Many people who write bursts at the same time, each waiting for an answer before the next."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from bot.standins.news import HANG_SECONDS
from bot.standins.replies import Sent
from bot.standins.telegram import TelegramStandIn

LINES = 3
"""In each burst."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A burst and the reply that followed it."""

    lines: Sequence[str]
    last_said_at: float
    reply: Sent

    @property
    def waited(self) -> float:
        """Seconds from the last message to the reply."""
        return self.reply.at - self.last_said_at


async def talk(
    telegram: TelegramStandIn, *, chats: int, bursts: int, pause: float, spread: float
) -> list[Answered]:
    """Every burst of every chat; the chats begin at random within `spread` seconds."""
    chance = random.Random(1)  # noqa: S311 (nothing is to be kept secret)
    talks = [
        _one_chat(telegram, 1 + number, bursts, pause, chance.uniform(0, spread))
        for number in range(chats)
    ]
    return [answered for each in await asyncio.gather(*talks) for answered in each]


async def _one_chat(
    telegram: TelegramStandIn, chat_id: int, bursts: int, pause: float, start: float
) -> list[Answered]:
    await asyncio.sleep(start)
    found = []
    for burst in range(bursts):
        lines = [f"line {line} of burst {burst} in chat {chat_id}." for line in range(LINES)]
        for line in lines:
            await asyncio.sleep(pause)
            telegram.say(chat_id, line)
        said_at = monotonic()
        replies = await telegram.wait_for_reply(chat_id, burst + 1, HANG_SECONDS)
        found.append(Answered(lines, said_at, replies[burst]))
    return found
