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

# Whatever else is wrong with a request (a picture that Telegram cannot fetch, a link that it finds
# odd) may be the formatting; to ask once more in vain is better than to lose the reply.
_THE_CHAT = re.compile(
    r"chat|channel|peer|thread|topic|user|rights|blocked|forbidden|private", re.IGNORECASE
)

# An apostrophe is one of "can't".
PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z ',:;.()/_-]{0,119}")


def is_about_formatting(error: TelegramAPIError) -> bool:
    """Whether the same words may be taken in a plainer format."""
    if isinstance(error, TelegramNotFound):
        return knows_no_such_method(error)
    if isinstance(error, TelegramEntityTooLarge):
        return True
    return isinstance(error, TelegramBadRequest) and bool(
        _FORMATTING.search(error.message) or not _THE_CHAT.search(error.message)
    )


def knows_no_such_method(error: Exception) -> bool:
    """Whether the server is older than the method; a token it does not know is another 404."""
    return isinstance(error, TelegramNotFound) and "method" in error.message.lower()


def in_plain_words(message: str) -> str:
    """Telegram's words as far as they quote nothing and count nothing: reasons go into the log."""
    found = PLAIN_WORDS.match(message)
    return found[0].strip(" :;,") if found else "refused"
