"""Which of Telegram's refusals a plainer format may cure."""

import pytest
from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.methods import GetMe

from bot.courier import fate
from coordination.ports import Delivery, NotNow, Unconfirmed, Unformatted, Unreachable
from storage.records import Format

METHOD = GetMe()


@pytest.mark.parametrize("how", ["rich", "entities"])
@pytest.mark.parametrize(
    "message",
    [
        "Bad Request: can't parse rich message",
        "Bad Request: can't parse entities: unsupported start tag",
        "Bad Request: RICH_MESSAGE_CONTENT_REQUIRED",
        "Bad Request: ENTITY_BOUNDS_INVALID",
        "Bad Request: unsupported block",
        "Bad Request: message is too long",
        "Bad Request: text must be non-empty",
        "Bad Request: failed to get HTTP URL content",
        "Bad Request: WEBPAGE_MEDIA_EMPTY",
    ],
)
def test_what_is_about_the_formatting(message: str, how: Format) -> None:
    error = TelegramBadRequest(METHOD, message)
    assert fate(error, how, written=True) == Unformatted(message)
    assert fate(error, "plain", written=True) == Unreachable(message)


@pytest.mark.parametrize("how", ["rich", "entities"])
@pytest.mark.parametrize(
    ("error", "delivery"),
    [
        (TelegramBadRequest(METHOD, "Bad Request: chat not found"), Unreachable),
        (TelegramBadRequest(METHOD, "Bad Request: message thread not found"), Unreachable),
        (TelegramBadRequest(METHOD, "Bad Request: PEER_ID_INVALID"), Unreachable),
        (TelegramBadRequest(METHOD, "Bad Request: TOPIC_CLOSED"), Unreachable),
        (TelegramBadRequest(METHOD, "Bad Request: have no rights to send"), Unreachable),
        (TelegramForbiddenError(METHOD, "Forbidden: bot was blocked by the user"), Unreachable),
        (TelegramForbiddenError(METHOD, "Forbidden: no rights to send rich messages"), Unreachable),
        (TelegramRetryAfter(METHOD, "Too Many Requests", 3), NotNow),
        (TelegramServerError(METHOD, "can't parse"), NotNow),
        (TelegramNotFound(METHOD, "Not Found"), NotNow),
        (TelegramNetworkError(METHOD, "can't parse"), Unconfirmed),
        (ValueError("can't parse"), Unconfirmed),
        (TelegramEntityTooLarge(METHOD, "Request Entity Too Large"), Unformatted),
        (TelegramNotFound(METHOD, "Not Found: method not found"), Unformatted),
    ],
    ids=str,
)
def test_what_is_not(error: TelegramAPIError, delivery: type[Delivery], how: Format) -> None:
    assert type(fate(error, how, written=True)) is delivery
