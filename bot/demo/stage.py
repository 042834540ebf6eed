"""Everything the demonstration needs, started and stopped: the bot itself is the real one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.demo.watch import until
from bot.logs import set_up_logging
from bot.settings import Settings, SettingsError, Surroundings, load
from bot.standins.model import ModelStandIn
from bot.standins.telegram import TelegramStandIn
from storage import embedded
from storage.database import Database

TOKEN = "1000:the-demonstration-needs-no-secret"  # noqa: S105
KEY = "demonstration"

TOOLS = "bot.tools.contacts,bot.tools.reminders"

QUIET_SECONDS, CAP_SECONDS = 2.0, 10.0
MODEL_SECONDS = 2.0


@dataclass(frozen=True)
class Stage:
    """Where the play takes place."""

    settings: Settings
    telegram: TelegramStandIn
    model: ModelStandIn
    db: Database


class DemoSettings(Settings, env_file=None, env_prefix="onereply_demo_"):
    """Settings that neither `.env` nor the bot's environment can change."""


class DataFolder(Surroundings):
    """The one setting that the demonstration takes over: where there is room for data."""

    embedded_data_dir: Path | None = None


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """The bot between its neighbours, ready to hear from people.

    Raises:
        SettingsError: something could not be started.
    """
    async with standins() as (telegram, model), database() as dsn:
        settings = demo_settings(telegram, model, dsn)
        set_up_logging(settings)
        db = Database(dsn)
        try:
            async with running_bot(settings, telegram):
                yield Stage(settings, telegram, model, db)
        finally:
            await db.close()


@asynccontextmanager
async def standins() -> AsyncIterator[tuple[TelegramStandIn, ModelStandIn]]:
    """Telegram, and a model that thinks for a while."""
    telegram = TelegramStandIn(token=TOKEN)
    model = ModelStandIn(delay=MODEL_SECONDS, api_key=KEY)
    await telegram.start()
    await model.start()
    try:
        yield telegram, model
    finally:
        await model.stop()
        await telegram.stop()


@asynccontextmanager
async def database() -> AsyncIterator[str]:
    """PostgreSQL on data of its own, beside those of local mode."""
    local = load(DataFolder).embedded_data_dir or embedded.default_data_dir()
    folder = local.with_name(f"{local.name}-demo")
    try:
        server = await embedded.start(folder, durable=False)
    except embedded.EmbeddedPostgresError as error:
        raise SettingsError(str(error)) from None
    async with server:
        yield server.dsn


def demo_settings(telegram: TelegramStandIn, model: ModelStandIn, dsn: str) -> Settings:
    """The waits that a bot has unless told otherwise."""
    return load(
        DemoSettings,
        telegram_bot_token=TOKEN,
        telegram_api_url=telegram.url,
        openai_api_key=KEY,
        openai_base_url=model.url,
        database_url=dsn,
        debounce_quiet_seconds=QUIET_SECONDS,
        debounce_cap_seconds=CAP_SECONDS,
        tools=TOOLS,
        http_port=0,
        log_level="error",
    )


@asynccontextmanager
async def running_bot(settings: Settings, telegram: TelegramStandIn) -> AsyncIterator[None]:
    """The bot, from its first poll on."""
    from bot.app import App

    stopping = asyncio.Event()
    running = asyncio.create_task(App(settings).run(stopping))
    try:
        await until(lambda: telegram.call_counts["getUpdates"] > 0 or running.done())
        if running.done():
            raise SettingsError("the bot ended before it polled")
        yield
    finally:
        stopping.set()
        await running
