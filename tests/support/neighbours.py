"""The bot in this process, between stand-ins, with everything in reach of a test."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.app import App
from bot.settings import Settings, load
from bot.standins.model import ModelStandIn
from bot.standins.replies import NEW_MESSAGES, Sent
from bot.standins.telegram import TelegramStandIn
from storage.steps import FaultPoint, no_fault
from tests.support.started import started

TOKEN = "4242:a-token-for-tests"
KEY = "a-key-for-tests"


@dataclass(frozen=True)
class Neighbours:
    """Telegram, the model and the database of one bot."""

    telegram: TelegramStandIn
    model: ModelStandIn
    database_url: str

    def settings(self, **changed: object) -> Settings:
        """Settings that lead to these neighbours, quick enough for tests."""
        return load(
            Settings,
            **{
                "_env_file": None,
                "telegram_bot_token": TOKEN,
                "telegram_api_url": self.telegram.url,
                "openai_api_key": KEY,
                "openai_base_url": self.model.url,
                "database_url": self.database_url,
                "http_port": 0,
                "debounce_quiet_seconds": 0.3,
                "debounce_long_quiet_seconds": 0.6,
                "debounce_cap_seconds": 3,
                "sweep_seconds": 0.2,
                **changed,
            },
        )

    def environment(self, **changed: object) -> dict[str, str]:
        """The same settings for a process of its own."""
        settings = self.settings(**changed)
        plain = settings.model_dump(exclude_none=True)
        secrets = {
            "telegram_bot_token": TOKEN,
            "openai_api_key": KEY,
            "database_url": self.database_url,
        }
        return {name.upper(): _as_text(value) for name, value in {**plain, **secrets}.items()}

    def seen_by(self, chat_id: int) -> Sequence[Sent]:
        """The messages the bot sent to that chat."""
        return [
            sent
            for sent in self.telegram.sent
            if sent.chat_id == chat_id and sent.method in NEW_MESSAGES
        ]


def _as_text(value: object) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    return ",".join(value) if isinstance(value, tuple) else str(value)


@asynccontextmanager
async def neighbours(database_url: str) -> AsyncIterator[Neighbours]:
    """Stand-ins that run for the length of the block."""
    async with (
        started(TelegramStandIn(token=TOKEN)) as telegram,
        started(ModelStandIn(api_key=KEY)) as model,
    ):
        yield Neighbours(telegram, model, database_url)


@asynccontextmanager
async def running_bot(settings: Settings, at: FaultPoint = no_fault) -> AsyncIterator[App]:
    """The bot, polling and answering for the length of the block; it must end without an error."""
    stopping = asyncio.Event()
    app = App(settings, at=at)
    running = asyncio.create_task(app.run(stopping))
    try:
        yield app
    finally:
        stopping.set()
        await running
