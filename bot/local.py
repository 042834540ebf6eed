"""`onereply local`: the same bot, with a stand-in for each neighbour that is not set."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import typer
from aiohttp import web

from bot.database import prepare_database, reachable_database
from bot.identity import is_dead, this_process
from bot.logs import set_up_logging
from bot.serving import stop_signals
from bot.setting_types import EMBEDDED
from bot.settings import Settings, SettingsError, Surroundings, load
from bot.standins.model import ModelStandIn
from bot.standins.page import add_page
from bot.standins.switch_kinds import SwitchError
from bot.standins.switch_words import read_orders
from bot.standins.switchboard import Switchboard
from bot.standins.switches import Switches
from bot.standins.telegram import TelegramStandIn
from storage import leadership
from storage.database import Database, Unavailable
from storage.records import ConversationKey
from storage.snapshot import snapshot

LOCAL_TOKEN = "1000:local-mode-needs-no-secret"  # noqa: S105
LOCAL_KEY = "local"
SHIPPED_TOOLS = "bot.tools.contacts,bot.tools.reminders"
LOOK = timedelta(seconds=5)


class Given(Surroundings):
    """Which neighbours are set, whether rightly or not."""

    telegram_bot_token: str | None = None
    telegram_api_url: str | None = None
    openai_api_key: str | None = None
    openai_base_url: str | None = None
    database_url: str | None = None
    tools: str | None = None


async def run_local(model_delay: float, faults: Sequence[str] = (), seed: int = 0) -> None:
    """Run until stopped, neighbours included.

    Raises:
        SettingsError: a setting or a fault that cannot be.
    """
    stopping = stop_signals()
    async with neighbours(load(Given), model_delay) as (found, telegram, model):
        _throw_switches(telegram, model, faults, seed)
        _announce(found)
        settings = load(Settings, **found)
        set_up_logging(settings)
        async with reachable_database(settings) as url:
            from bot.app import App

            if telegram is not None:
                await _refuse_to_be_the_second(settings, url.get_secret_value())
            page = None if telegram is None else LocalPage(telegram, model)
            app = App(settings.model_copy(update={"database_url": url}), page)
            await app.run(stopping)


@asynccontextmanager
async def neighbours(
    given: Given, model_delay: float
) -> AsyncIterator[tuple[dict[str, str], TelegramStandIn | None, ModelStandIn | None]]:
    """Start what is missing; the settings that lead to it, and the stand-ins themselves."""
    found: dict[str, str] = {}
    telegram: TelegramStandIn | None = None
    model: ModelStandIn | None = None
    async with AsyncExitStack() as running:
        if given.telegram_bot_token is None and given.telegram_api_url is None:
            telegram = TelegramStandIn(token=LOCAL_TOKEN)
            await telegram.start()
            running.push_async_callback(telegram.stop)
            found |= {"telegram_bot_token": LOCAL_TOKEN, "telegram_api_url": telegram.url}
        if given.openai_api_key is None and given.openai_base_url is None:
            model = ModelStandIn(delay=model_delay)
            await model.start()
            running.push_async_callback(model.stop)
            found |= {"openai_api_key": LOCAL_KEY, "openai_base_url": model.url}
        if given.database_url is None:
            found["database_url"] = EMBEDDED
        if given.tools is None:
            found["tools"] = SHIPPED_TOOLS
        yield found, telegram, model


async def _refuse_to_be_the_second(settings: Settings, url: str) -> None:
    # Two of these on one database would answer each other's people, each in its own Telegram.
    db = Database(url)
    try:
        await prepare_database(db)
        found = await leadership.poller_of(db, settings.bot_id)
        dead = [found] if found is not None and is_dead(found) else []
        polling = await leadership.take_polling(
            db, settings.bot_id, holder=this_process(), ttl=LOOK, dead=dead
        )
        if polling is None:
            raise SettingsError(
                "local mode is already running on this database: use that one, stop it, "
                "or set EMBEDDED_DATA_DIR to another folder"
            )
        await leadership.release_polling(db, polling)
    finally:
        await db.close()


def _throw_switches(
    telegram: TelegramStandIn | None, model: ModelStandIn | None, faults: Sequence[str], seed: int
) -> None:
    switches: dict[str, Switches] = {}
    if telegram is not None:
        switches["telegram"] = telegram.switches
    if model is not None:
        switches["model"] = model.switches
    board = Switchboard(switches)
    try:
        board.sow(seed)
        board.obey(read_orders(faults))
    except SwitchError as error:
        raise SettingsError(f"--fault: {error}") from None


def _announce(found: dict[str, str]) -> None:
    for name, what in (
        ("telegram_api_url", "Telegram is a stand-in"),
        ("openai_base_url", "The model is a stand-in"),
        ("database_url", "The database is a PostgreSQL of its own"),
    ):
        if name in found:
            typer.echo(f"{what}: {name.upper()}={found[name]}")
    typer.echo("Starting; this takes some seconds.")


class LocalPage:
    """The chat page, on the port where `run` has its health checks."""

    def __init__(self, telegram: TelegramStandIn, model: ModelStandIn | None) -> None:
        self._telegram = telegram
        self._model = model

    def add_to(self, app: web.Application, db: Database) -> None:
        """Add the page's routes."""

        async def inspect(chat_id: int, thread_id: int) -> dict[str, object] | None:
            try:
                return await snapshot(db, ConversationKey(chat_id, thread_id))
            except Unavailable:
                return None

        add_page(app, self._telegram, self._model, inspect)

    def listens_at(self, url: str) -> None:
        """Say where to point the browser."""
        typer.echo(f"Chat with the bot: {url}")
