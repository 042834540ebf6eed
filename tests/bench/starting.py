"""From the command to the first poll, beside importing the same libraries."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from time import monotonic

from storage.embedded import EmbeddedPostgres
from tests.bench.figures import Figure
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import fresh_database
from tests.support.processes import imported_anew
from tests.support.surroundings import surroundings

MOST = 1.3
# What the bot itself imports; Alembic is left out, since an up-to-date schema needs none.
LIBRARIES = (
    "aiogram",
    "aiohttp.web",
    "apscheduler.schedulers.asyncio",
    "asyncpg",
    "charset_normalizer",
    "fluent.runtime",
    "openai",
    "PIL.Image",
    "prometheus_client",
    "pydantic_settings",
    "pypdf",
    "sqlalchemy.ext.asyncio",
    "structlog",
    "telegramify_markdown",
    "typer",
)


async def starting(server: EmbeddedPostgres, *, times: int) -> Figure:
    """The best of so many starts, and of as many imports between them."""
    starts, imports = [], []
    async with fresh_database(server) as dsn, neighbours(dsn) as around:
        for _ in range(times):
            imports.append(await _import())
            starts.append(await _start(around))
    return Figure("start to polling", min(starts), "s", base=min(imports), at_most=MOST)


async def _start(around: Neighbours) -> float:
    before = around.telegram.call_counts["getUpdates"]
    began = monotonic()
    async with imported_anew(around.environment()) as bot:
        while around.telegram.call_counts["getUpdates"] == before:
            await asyncio.sleep(0.005)
        took = monotonic() - began
        await bot.terminate()
    return took


async def _import() -> float:
    began = monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"import {', '.join(LIBRARIES)}; print(flush=True)"),
        env=surroundings(),
        stdout=PIPE,
    )
    try:
        assert process.stdout
        if not await process.stdout.readline():
            raise RuntimeError("the libraries cannot be imported")
        return monotonic() - began
    finally:
        await process.wait()
