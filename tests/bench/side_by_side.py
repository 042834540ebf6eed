"""Many chats at once with a model that takes its time: what the bot adds to the waiting."""

import asyncio
from statistics import median

from storage.embedded import EmbeddedPostgres
from tests.bench.figures import Figure
from tests.support.neighbours import neighbours
from tests.support.postgres import fresh_database
from tests.support.processes import bot_process
from tests.support.side_by_side import talk

QUIET_SECONDS = 1.0
PAUSE_SECONDS, SPREAD_SECONDS = 0.2, 3.0
MOST_ADDED_SECONDS = 0.3


async def side_by_side(
    server: EmbeddedPostgres, *, chats: int, bursts: int, model_seconds: float
) -> list[Figure]:
    """Replies and model calls for each burst, and the median of what the bot adds."""
    async with fresh_database(server) as dsn, neighbours(dsn) as around:
        around.model.delay = model_seconds
        environment = around.environment(
            debounce_quiet_seconds=QUIET_SECONDS, debounce_cap_seconds=10, log_level="warning"
        )
        async with bot_process(environment) as bot:
            while not around.telegram.call_counts["getUpdates"]:
                await asyncio.sleep(0.02)
            answered = await talk(
                around.telegram,
                chats=chats,
                bursts=bursts,
                pause=PAUSE_SECONDS,
                spread=SPREAD_SECONDS,
            )
            await asyncio.sleep(QUIET_SECONDS + model_seconds)  # for a second reply, if any
            await bot.terminate()
        replies, calls = len(around.telegram.sent), around.model.counts["begun"]
    added = median(each.waited for each in answered) - QUIET_SECONDS - model_seconds
    count = chats * bursts
    return [
        Figure("replies", replies / count, "a burst", at_least=1, at_most=1),
        Figure("model calls", calls / count, "a burst", at_least=1, at_most=1),
        Figure("added to quiet and model", added, "s", at_most=MOST_ADDED_SECONDS),
    ]
