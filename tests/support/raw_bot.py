"""Calls the Bot API stand-in without a library that would repair or retry anything."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, TOKEN


@dataclass
class RawBot:
    """Answers come back as they were on the wire: status, content type, body."""

    telegram: TelegramStandIn
    http: aiohttp.ClientSession

    async def call(self, method: str, **params: object) -> tuple[int, str, bytes]:
        url = f"{self.telegram.url}/bot{TOKEN}/{method}"
        async with self.http.post(url, json=params) as answer:
            return answer.status, answer.content_type, await answer.read()

    async def send(self) -> tuple[int, str, bytes]:
        return await self.call("sendMessage", chat_id=ADA, text="hello")

    async def updates(self, **params: object) -> list[dict[str, Any]]:
        _, _, body = await self.call("getUpdates", **params)
        updates: list[dict[str, Any]] = json.loads(body)["result"]
        return updates


@asynccontextmanager
async def raw_bot(telegram: TelegramStandIn) -> AsyncIterator[RawBot]:
    """Ada may be written to, and has said nothing yet."""
    telegram.introduce(ADA, "Ada")
    async with aiohttp.ClientSession() as http:
        yield RawBot(telegram, http)


def texts(updates: list[dict[str, Any]]) -> list[str]:
    return [update["message"]["text"] for update in updates]
