"""aiogram's Bot, as this project sets it up."""

from aiogram import Bot
from aiogram.client.telegram import TelegramAPIServer

from bot.raw_updates import load_answer
from bot.session import TelegramSession
from bot.settings import Settings

SPARE_CONNECTIONS = 100
"""For polling and for what shows that somebody types, beside the replies themselves."""


def telegram_bot(settings: Settings) -> Bot:
    """A client of the Bot API server in the settings; nothing is sent before the first call."""
    return Bot(
        settings.telegram_bot_token.get_secret_value(),
        session=TelegramSession(
            api=TelegramAPIServer.from_base(settings.telegram_api_url),
            limit=settings.max_concurrent_replies + SPARE_CONNECTIONS,
            json_loads=load_answer,
        ),
    )
