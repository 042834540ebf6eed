"""What Telegram thinks of the token."""

from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    TelegramAPIError,
    TelegramNotFound,
    TelegramUnauthorizedError,
)

from bot.settings import Settings
from bot.telegram import telegram_bot


async def examine_telegram(settings: Settings) -> tuple[bool, str, str]:
    """Whether polling would work, and the words for it."""
    bot = telegram_bot(settings)
    try:
        return await _ask(bot)
    except (TelegramUnauthorizedError, TelegramNotFound):
        words = "does not know this token: copy it from @BotFather into TELEGRAM_BOT_TOKEN"
    except TelegramAPIError as error:
        words = f"{error.message}: is TELEGRAM_API_URL right, is the network up?"
    except AiogramError as error:
        words = f"strange answer ({type(error).__name__}): is TELEGRAM_API_URL right?"
    finally:
        await bot.session.close()
    return False, "telegram", words


async def _ask(bot: Bot) -> tuple[bool, str, str]:
    me = await bot.get_me(request_timeout=10)
    hook = await bot.get_webhook_info(request_timeout=10)
    if hook.url:
        return False, "telegram", "a webhook is set, so polling gets nothing: call deleteWebhook"
    return True, "telegram", f"the token is @{me.username}'s"
