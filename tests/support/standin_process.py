"""The stand-ins in a process of their own."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.support.standin_bot import TOKEN
from tests.support.surroundings import ROOT

BOT = f"/bot{TOKEN}"


@asynccontextmanager
async def standins(*arguments: str) -> AsyncIterator[dict[str, str]]:
    """Where each of them listens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.standins", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    yield json.loads(await process.stdout.readline())
    process.terminate()
    assert await process.wait() == 0
    assert await process.stdout.read() == b""


async def get(http: aiohttp.ClientSession, url: str) -> Any:
    async with http.get(url) as answer:
        return await answer.json()
