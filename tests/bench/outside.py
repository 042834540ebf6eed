"""The stand-ins in a process of their own, played through their control routes."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bot.standins.replies import NEW_MESSAGES
from tests.support.surroundings import ROOT

TOKEN = "4242:a-token-for-benchmarks"
KEY = "a-key-for-benchmarks"
STOP_SECONDS = 10
LOOK_SECONDS = 0.1


class StandIns:
    """Telegram and the model as another process has them."""

    def __init__(self, http: aiohttp.ClientSession, telegram: str, model: str) -> None:
        self._http = http
        self.telegram = telegram
        self.model = model

    async def queue(self, updates: Sequence[dict[str, Any]]) -> None:
        """Let people write."""
        async with self._http.post(f"{self.telegram}/control/updates", json=updates):
            pass

    async def status(self) -> dict[str, Any]:
        """Counts: what is pending, what was sent."""
        return await self._get("/control/status")

    async def until(self, reached: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until the counts say so; the caller bounds it."""
        while not reached(await self.status()):
            await asyncio.sleep(LOOK_SECONDS)

    async def sent_at(self, since: int = 0) -> list[float]:
        """When each message was sent, those before `since` left out."""
        found: list[dict[str, Any]] = []
        while page := (await self._get(f"/control/sent?since={since + len(found)}"))["sent"]:
            found += page
        return [sent["at"] for sent in found if sent["method"] in NEW_MESSAGES]

    def environment(self, database_url: str, **settings: object) -> dict[str, str]:
        """What a bot between these stand-ins needs to know."""
        known = {
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": self.telegram,
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.model,
            "DATABASE_URL": database_url,
            "HTTP_PORT": "0",
            "LOG_LEVEL": "warning",
        }
        return known | {name.upper(): str(value) for name, value in settings.items()}

    async def _get(self, path: str) -> dict[str, Any]:
        async with self._http.get(f"{self.telegram}{path}") as answer:
            found: dict[str, Any] = await answer.json()
        return found


@asynccontextmanager
async def standins() -> AsyncIterator[StandIns]:
    """Both stand-ins, ended with the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.standins", cwd=ROOT, stdout=PIPE
    )
    try:
        assert process.stdout
        urls = json.loads(await process.stdout.readline())
        async with aiohttp.ClientSession(raise_for_status=True) as http:
            yield StandIns(http, urls["telegram"], urls["model"])
    finally:
        await _end(process)


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
