"""Inline keyboards: what Telegram takes for one, and the buttons on a message."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.standins.wire import ApiError, json_value

_LONGEST_DATA = 64
_BAD_BUTTON = "Bad Request: can't parse inline keyboard button: "
_ACTIONS = frozenset(
    {
        "url",
        "callback_data",
        "web_app",
        "login_url",
        "switch_inline_query",
        "switch_inline_query_current_chat",
        "switch_inline_query_chosen_chat",
        "copy_text",
        "callback_game",
        "pay",
        "disabled",
    }
)


def inline_keyboard(params: Mapping[str, str]) -> dict[str, Any] | None:
    """The inline keyboard that comes with a message; other kinds of markup show no buttons."""
    markup = json_value(params, "reply_markup", "can't parse reply keyboard markup JSON object")
    if markup is None:
        return None
    if not isinstance(markup, dict):
        raise ApiError(400, "Bad Request: object expected as reply markup")
    rows = markup.get("inline_keyboard")
    if not rows:
        return None
    if not (isinstance(rows, list) and all(isinstance(row, list) for row in rows)):
        raise ApiError(
            400,
            'Bad Request: field "inline_keyboard" of the ReplyMarkup must be an Array of Arrays',
        )
    for button in (each for row in rows for each in row):
        _check_button(button)
    return {"inline_keyboard": rows}


def buttons_of(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every button of a message."""
    for row in content.get("reply_markup", {}).get("inline_keyboard", ()):
        yield from row


def _check_button(button: Any) -> None:
    if not isinstance(button, dict) or not isinstance(button.get("text"), str):
        raise ApiError(400, f'{_BAD_BUTTON}Can\'t find field "text"')
    if not _ACTIONS & button.keys():
        raise ApiError(400, f"{_BAD_BUTTON}Text buttons are unallowed in the inline keyboard")
    data = button.get("callback_data")
    if data is not None and not 1 <= len(str(data).encode()) <= _LONGEST_DATA:
        raise ApiError(400, "Bad Request: BUTTON_DATA_INVALID")
