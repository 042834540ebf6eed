"""What must be right before a process begins: the schema, the bot's database, the token."""

import structlog
from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramNotFound, TelegramUnauthorizedError

from bot.database import prepare_database
from bot.settings import Settings, SettingsError
from coordination.patience import until_available
from storage import leadership
from storage.database import Database

log = structlog.get_logger(__name__)

TOKEN_CHECK_SECONDS = 5


async def prepare(settings: Settings, db: Database, bot: Bot) -> None:
    """Wait for the database, migrate it, and make sure that it and the token are ours.

    Raises:
        SettingsError: the database or Telegram refuses us as we are set up.
    """
    await prepare_database(db)
    others = await until_available(lambda: leadership.other_bots(db, settings.bot_id))
    if others:
        raise SettingsError(
            f"DATABASE_URL: this database belongs to bot {others[0]}, and TELEGRAM_BOT_TOKEN is of "
            f"bot {settings.bot_id}: give each bot a database of its own"
        )
    await _check_token(settings, bot)


async def _check_token(settings: Settings, bot: Bot) -> None:
    try:
        me = await bot.get_me(request_timeout=TOKEN_CHECK_SECONDS)
        log.info("telegram_reached", bot=me.username)
    except (TelegramUnauthorizedError, TelegramNotFound):
        raise SettingsError(
            "TELEGRAM_BOT_TOKEN: Telegram does not know this token "
            f"(asked at TELEGRAM_API_URL, {settings.telegram_api_url.rpartition('@')[2]})"
        ) from None
    except AiogramError as error:
        # Polling has the patience that is needed now.
        log.warning("telegram_not_reached", error=type(error).__name__)
