"""Where a forwarded message comes from, as the Bot API says it."""

import time
from typing import Any, TypeAlias

Origin: TypeAlias = dict[str, Any]

_CHANNELS_BELOW = -1_000_000_000_000


def from_user(user_id: int, first_name: str, *, is_bot: bool = False) -> Origin:
    """A person who lets others see whose message it was, or a bot."""
    user = {"id": user_id, "is_bot": is_bot, "first_name": first_name}
    return {"type": "user", "date": int(time.time()), "sender_user": user}


def from_hidden_user(name: str) -> Origin:
    """A person of whom only the name is shown."""
    return {"type": "hidden_user", "date": int(time.time()), "sender_user_name": name}


def from_channel(number: int, title: str, message_id: int = 1) -> Origin:
    """A post of a channel; its id is made of the `number`."""
    chat = {"id": _CHANNELS_BELOW - number, "title": title, "type": "channel"}
    return {"type": "channel", "date": int(time.time()), "chat": chat, "message_id": message_id}


def forward_fields(origin: Origin) -> dict[str, Any]:
    """The members of a forwarded Message; the server still sends the older ones too."""
    fields: dict[str, Any] = {"forward_origin": origin, "forward_date": origin["date"]}
    if origin["type"] == "user":
        fields["forward_from"] = origin["sender_user"]
    elif origin["type"] == "hidden_user":
        fields["forward_sender_name"] = origin["sender_user_name"]
    else:
        fields["forward_from_chat"] = origin["chat"]
        fields["forward_from_message_id"] = origin["message_id"]
    return fields


def origin_name(origin: Origin) -> str:
    """Whom a client names as the author."""
    if origin["type"] == "user":
        return str(origin["sender_user"]["first_name"])
    if origin["type"] == "hidden_user":
        return str(origin["sender_user_name"])
    return str(origin["chat"]["title"])
