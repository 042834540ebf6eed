"""What people do, as JSON: for the page and for other processes. Files come as base64."""

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from bot.standins.telegram import TelegramStandIn

Act: TypeAlias = Callable[..., Any]

_WITH_A_FILE = frozenset({"photo", "voice", "video_note", "document", "sticker"})


class ActError(ValueError):
    """There is no such act, or it cannot be done so."""


async def perform(telegram: "TelegramStandIn", wish: object) -> Any:
    """Do `{"act": "photo", "chat_id": 7, "data": "…", …}`, and return what the method returns.

    Each act is the method of the stand-in with the same arguments.

    Raises:
        ActError: it cannot be done.
    """
    if not isinstance(wish, dict):
        raise ActError("expected an object")
    arguments, acts = dict(wish), _acts(telegram)
    act = str(arguments.pop("act", "text"))
    if act not in acts:
        raise ActError(f"there is no act {act!r}, but {', '.join(acts)}")
    if not isinstance(arguments.get("chat_id"), int):
        raise ActError("chat_id must be a number")
    try:
        done = acts[act](**_decoded(act, arguments))
        return await done if isinstance(done, Awaitable) else done
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ActError(f"not understood: {error}") from None


def _acts(telegram: "TelegramStandIn") -> Mapping[str, Act]:
    return {
        "introduce": telegram.introduce,
        "text": telegram.say,
        "start": telegram.press_start,
        "photo": telegram.say_photo,
        "album": telegram.say_album,
        "voice": telegram.say_voice,
        "video_note": telegram.say_video_note,
        "document": telegram.say_document,
        "sticker": telegram.say_sticker,
        "contact": telegram.say_contact,
        "location": telegram.say_location,
        "poll": telegram.say_poll,
        "forward": telegram.forward,
        "edit": telegram.edit,
        "press": telegram.press,
        "stop_draft": telegram.stop_draft,
        "block": telegram.block,
        "unblock": telegram.unblock,
    }


def _decoded(act: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if act in _WITH_A_FILE and "data" in arguments:
        arguments["data"] = base64.b64decode(arguments["data"], validate=True)
    if "pictures" in arguments:
        pictures = [base64.b64decode(each, validate=True) for each in arguments["pictures"]]
        arguments["pictures"] = pictures
    return arguments
