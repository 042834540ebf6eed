"""What Telegram's refusals are about, as far as its words tell."""

import re

from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramNotFound,
)

# "too long" and "empty" may be true of the formatted text only: it is counted in another way.
_FORMATTING = re.compile(
    r"can't parse|\bentit|\brich|unsupported|too long|empty|method not found", re.IGNORECASE
)


def is_about_formatting(error: TelegramAPIError) -> bool:
    """Whether the same words may be taken in a plainer format."""
    if isinstance(error, TelegramNotFound):
        return knows_no_such_method(error)
    if isinstance(error, TelegramEntityTooLarge):
        return True
    return isinstance(error, TelegramBadRequest) and bool(_FORMATTING.search(error.message))


def knows_no_such_method(error: Exception) -> bool:
    """Whether the server is older than the method; a token it does not know is another 404."""
    return isinstance(error, TelegramNotFound) and "method" in error.message.lower()
