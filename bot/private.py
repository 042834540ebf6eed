"""Private chats: which they are, and which conversation a message belongs to."""

from aiogram.enums import ChatType
from aiogram.types import Message

from storage.records import ConversationKey


def conversation(message: Message) -> ConversationKey:
    """The chat, and its topic where the bot has topics."""
    thread = message.message_thread_id if message.is_topic_message else None
    return ConversationKey(message.chat.id, thread or 0)


async def is_private(message: Message) -> bool:
    """A filter: aiogram sends those that are not async to a thread, for every update."""
    return message.chat.type == ChatType.PRIVATE
