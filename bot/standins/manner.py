"""How somebody writes, besides what: in answer to something, as a forward, in a topic."""

from collections.abc import Mapping
from typing import Any, TypedDict

from bot.standins.chats import Chat, replied_object
from bot.standins.origins import Origin, forward_fields
from bot.standins.texts import quote_of


class Manner(TypedDict, total=False):
    """`first_name` and `language_code` are the person's from now on.

    `reply_to` is the id of the message that is answered, `quote` a part of what it says, and
    `origin` makes it a forward.
    """

    first_name: str | None
    language_code: str | None
    message_thread_id: int | None
    message_id: int | None
    update_id: int | None
    media_group_id: str | None
    reply_to: int | None
    quote: str | None
    origin: Origin | None


def check_manner(manner: Manner) -> None:
    """Raise `TypeError` for what is none, which may come from another process."""
    unknown = manner.keys() - Manner.__annotations__.keys()
    if unknown:
        raise TypeError(f"unexpected: {', '.join(sorted(unknown))}")


def surroundings(chat: Chat, bot: Mapping[str, Any], manner: Manner) -> dict[str, Any]:
    """What the manner adds to a message.

    Raises:
        LookupError: the chat has no such message, or it does not say what is quoted.
    """
    added: dict[str, Any] = {}
    if group := manner.get("media_group_id"):
        added["media_group_id"] = group
    if origin := manner.get("origin"):
        added |= forward_fields(origin)
    reply_to = manner.get("reply_to")
    if reply_to is not None:
        replied = chat.lines.get(reply_to)
        if replied is None:
            raise LookupError(f"chat {chat.chat_id} has no message {reply_to}")
        added["reply_to_message"] = replied_object(chat, bot, replied)
        if quote := manner.get("quote"):
            added["quote"] = quote_of(replied.text, quote)
            if added["quote"] is None:
                raise LookupError(f"the message does not say {quote!r}")
    return added
