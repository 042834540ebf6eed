"""aiogram's bot beside the Bot API stand-in that it calls; updates are checked by its models."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import Message, TelegramObject, Update

from bot.standins.telegram import TelegramStandIn

TOKEN = "4242:stand-in-token"
ADA = 7


@dataclass
class StandInBot:
    """Reads updates as they are on the wire, so that nothing is repaired on the way."""

    telegram: TelegramStandIn
    bot: Bot
    http: aiohttp.ClientSession
    offset: int = 0

    async def raw_updates(self) -> list[dict[str, Any]]:
        """What came since the last look."""
        url = f"{self.telegram.url}/bot{TOKEN}/getUpdates"
        async with self.http.get(url, params={"offset": self.offset}) as answer:
            raw: list[dict[str, Any]] = (await answer.json())["result"]
        if raw:
            self.offset = raw[-1]["update_id"] + 1
        return raw

    async def updates(self) -> list[Update]:
        """The same, as aiogram understands it; a member that it does not know is an error."""
        raw = await self.raw_updates()
        updates = [Update.model_validate(each) for each in raw]
        for each, update in zip(raw, updates, strict=True):
            (kind,) = each.keys() - {"update_id"}
            known = type(getattr(update, kind)).model_fields
            names = known.keys() | {field.alias for field in known.values()}
            assert each[kind].keys() <= names
        return updates

    async def update(self) -> Update:
        (update,) = await self.updates()
        return update

    async def message(self) -> Message:
        message = (await self.update()).message
        assert message is not None
        return message

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        """Call without a library: the answer's JSON."""
        url = f"{self.telegram.url}/bot{TOKEN}/{method}"
        async with self.http.post(url, json=params) as answer:
            said: dict[str, Any] = await answer.json()
            return said

    async def refusal(self, method: str, **params: object) -> str:
        said = await self.call(method, **params)
        assert not said["ok"]
        return str(said["description"])


def plain(*objects: TelegramObject | None) -> list[dict[str, Any] | None]:
    """To compare: aiogram's objects that came with an answer remember the bot besides."""
    return [None if each is None else each.model_dump(exclude_none=True) for each in objects]


def bot_at(url: str, token: str = TOKEN) -> Bot:
    return Bot(token, session=AiohttpSession(api=TelegramAPIServer.from_base(url)))


@asynccontextmanager
async def standin_bot(telegram: TelegramStandIn) -> AsyncIterator[StandInBot]:
    """Ada may be written to, and has said nothing yet."""
    telegram.introduce(ADA, "Ada", "de")
    async with bot_at(telegram.url) as bot, aiohttp.ClientSession() as http:
        yield StandInBot(telegram, bot, http)
