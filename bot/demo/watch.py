"""Watching while something happens."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from bot.demo.edges import Edges
from bot.demo.tables import Tables
from bot.demo.timeline import Timeline
from bot.standins.telegram import TelegramStandIn

LOOK_SECONDS = 0.02


@asynccontextmanager
async def watching(
    telegram: TelegramStandIn, edges: Edges, tables: Tables, timeline: Timeline
) -> AsyncIterator[None]:
    """Tell what happens during the block; the last of it before the block is left."""
    with telegram.subscribe() as happenings:
        listening = asyncio.create_task(edges.listen(happenings))
        looking = asyncio.create_task(_keep_looking(edges, tables, timeline))
        try:
            yield
        finally:
            listening.cancel()
            looking.cancel()
            await asyncio.wait({listening, looking})
    edges.look()
    await tables.look()
    timeline.show(float("inf"))


async def until(happened: Callable[[], bool], seconds: float = float("inf")) -> None:
    """Wait for it, that long at most; whoever needs to know looks again."""
    deadline = monotonic() + seconds
    while not happened() and monotonic() < deadline:  # noqa: ASYNC110 (tables signal nothing)
        await asyncio.sleep(LOOK_SECONDS)


async def _keep_looking(edges: Edges, tables: Tables, timeline: Timeline) -> None:
    while True:
        began = monotonic()
        edges.look()
        await tables.look()
        timeline.show(began)
        await asyncio.sleep(LOOK_SECONDS)
