"""Bots of their own for a load, and what they need of the machine."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.litter import ForkedBot, litter
from tests.support.neighbours import Neighbours
from tests.support.waiting import opened

MEBI = 1024
UNANSWERED = "SELECT count(*) AS chats FROM conversations WHERE inbound_seq > answered_seq"


@asynccontextmanager
async def bots(
    around: Neighbours, count: int, **settings: object
) -> AsyncIterator[list[ForkedBot]]:
    """So many processes on one database; killed at the end."""
    environment = around.environment(log_level="warning", **settings)
    async with litter() as bots:
        yield [await bots.start(environment) for _ in range(count)]


def peak_memory(bot: ForkedBot) -> float:
    """The most that it ever had resident, in MiB, what it shares with its parent included."""
    status = Path(f"/proc/{bot.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / MEBI


async def until_answered(around: Neighbours) -> None:
    """Return once nobody waits for an answer."""
    async with opened(around.database_url) as db:
        while (await db.fetch(UNANSWERED, {}))[0].chats:
            await asyncio.sleep(0.1)
