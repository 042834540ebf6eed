"""The page of local mode in a headless Chromium."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from playwright.async_api import ConsoleMessage, Page, async_playwright

from bot.local import LocalPage
from bot.standins.loopback import LoopbackServer
from storage.database import Database
from tests.support.neighbours import Neighbours
from tests.support.started import started

CHROMIUM = Path("/usr/bin/chromium")
MISSING = f"the page is tried in a browser only where there is {CHROMIUM}"
# Root has no sandbox, and a container little shared memory.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
HANG_SECONDS = 60


@asynccontextmanager
async def page_in_chromium(
    around: Neighbours, db: Database, width: int, height: int
) -> AsyncIterator[Page]:
    """The page, opened; nothing on it may have gone wrong by the end of the block."""
    async with page_served(around, db) as server, page_at(server, width, height) as (page, wrong):
        yield page
    assert wrong == []


@asynccontextmanager
async def page_served(around: Neighbours, db: Database) -> AsyncIterator[LoopbackServer]:
    """What serves the page, to be stopped and started again as the local process may be."""
    server = LoopbackServer(lambda: _app(around, db), "127.0.0.1", 0)
    async with started(server):
        yield server


@asynccontextmanager
async def page_at(
    server: LoopbackServer, width: int, height: int
) -> AsyncIterator[tuple[Page, list[str]]]:
    """The page, opened, and a list that grows with what goes wrong on it."""
    wrong: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=1000 * HANG_SECONDS
        )
        page = await browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(1000 * HANG_SECONDS)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.extend(_complaint(said)))
        await page.goto(server.url)
        yield page, wrong
        await browser.close()


def _complaint(said: ConsoleMessage) -> list[str]:
    return [said.text] if said.type == "error" else []


def _app(around: Neighbours, db: Database) -> web.Application:
    app = web.Application()
    LocalPage(around.telegram, around.model).add_to(app, db)
    return app
