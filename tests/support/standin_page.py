"""The chat page over stand-ins, as a browser on this machine reaches it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from bot.standins.loopback import LoopbackServer
from bot.standins.model import ModelStandIn
from bot.standins.page import Inspect, add_page
from bot.standins.telegram import TelegramStandIn


@asynccontextmanager
async def page_of(
    telegram: TelegramStandIn, model: ModelStandIn | None = None, inspect: Inspect | None = None
) -> AsyncIterator[aiohttp.ClientSession]:
    def build_app() -> web.Application:
        app = web.Application()
        add_page(app, telegram, model, inspect)
        return app

    server = LoopbackServer(build_app, "127.0.0.1", 0)
    await server.start()
    async with aiohttp.ClientSession(server.url) as http:
        yield http
        await server.stop()


async def next_event(stream: aiohttp.ClientResponse) -> Any:
    """What the page tells live, once it tells something."""
    line = await stream.content.readuntil(b"\n\n")
    return json.loads(line.removeprefix(b"data: "))
