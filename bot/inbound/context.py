"""Words for what a message refers to: whom it answers, and where it was forwarded from."""

from aiogram.types import (
    Chat,
    Message,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)
from aiogram.types.message_origin_union import MessageOriginUnion

from bot.inbound.content import content

MOST_OF_A_REPLY = 300
"""Characters of what a message answers."""


def context(message: Message) -> list[str]:
    """A line for each thing that one must know beside the words."""
    lines = []
    if reply := _replied_to(message):
        lines.append(reply)
    if message.forward_origin:
        lines.append(f"[Forwarded from {_origin(message.forward_origin)}]")
    return lines


def _replied_to(message: Message) -> str:
    before, elsewhere = message.reply_to_message, message.external_reply
    # A quote says what of it is meant; in a topic, every message replies to the one that opened it.
    words = message.quote.text if message.quote else content(before) if before else ""
    if before and (words or before.content_type != "forum_topic_created"):
        return _reply(words, _author(before))
    if elsewhere or words:
        return _reply(words, _origin(elsewhere.origin) if elsewhere else "")
    return ""


def _reply(words: str, author: str) -> str:
    by = f" (written by {author})" if author else ""
    return f"[In reply to: “{_shortened(words)}”{by}]" if words else f"[In reply to a message{by}]"


def _shortened(words: str) -> str:
    return words if len(words) <= MOST_OF_A_REPLY else f"{words[: MOST_OF_A_REPLY - 1]}…"


def _author(message: Message) -> str:
    author = message.from_user
    if message.forward_origin:
        return _origin(message.forward_origin)
    if author is None:
        return ""
    # In a private chat there are two: the person, and this bot.
    return "you, the assistant" if author.is_bot else "the user"


def _origin(origin: MessageOriginUnion) -> str:
    match origin:
        case MessageOriginUser():
            return origin.sender_user.full_name
        case MessageOriginHiddenUser():
            return origin.sender_user_name
        case MessageOriginChat():
            return f"the chat {_title(origin.sender_chat)}"
        case MessageOriginChannel():
            return f"the channel {_title(origin.chat)}"


def _title(chat: Chat) -> str:
    return chat.title or (f"@{chat.username}" if chat.username else "without a name")
