"""[1] An update becomes an inbound message. Nothing here waits for a model or for Telegram."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import structlog
from aiogram import Dispatcher, Router
from aiogram.enums import ChatType
from aiogram.types import Chat, ChatMemberUpdated, Message, MessageGenerationStopped, User

from bot.commands.asked import asked
from bot.commands.desk import Desk
from bot.commands.routes import commands
from bot.private import conversation, is_private
from bot.wording import said
from coordination.receive import Receiver
from storage.records import ConversationKey, InboundMessage

log = structlog.get_logger(__name__)

TellWhy = Callable[[int, str | None], Awaitable[None]]
"""Tells a group or channel, once, in a language, that the bot does not answer there."""

Meet = Callable[[int, User], Awaitable[None]]
"""Takes note of who writes in a chat."""


def dispatcher(receiver: Receiver, tell_why: TellWhy, desk: Desk) -> Dispatcher:
    """The routes of every kind of update that the bot asks Telegram for."""
    routes = Dispatcher(disable_fsm=True)
    routes.include_router(commands(desk))
    routes.include_router(_in_private(receiver, desk.people.meet))
    routes.include_router(_elsewhere(tell_why))
    return routes


def _in_private(receiver: Receiver, meet: Meet) -> Router:
    router = Router()

    @router.message(is_private)
    async def private_message(message: Message) -> None:
        text = said(message)
        if text is None:
            log.debug("nothing_to_answer", kind=message.content_type)
            return
        if message.from_user:
            await meet(message.chat.id, message.from_user)
        await receiver.receive(InboundMessage(conversation(message), message.message_id, text))

    @router.edited_message(is_private)
    async def edited(message: Message) -> None:
        text = said(message)
        if text is None or message.edit_date is None or asked(message):
            return
        when = datetime.fromtimestamp(message.edit_date, UTC)
        key, number = conversation(message), message.message_id
        await receiver.correct(InboundMessage(key, number, text, edited_at=when))

    @router.stopped_message_generation()
    async def stopped(stop: MessageGenerationStopped) -> None:
        await receiver.stop(ConversationKey(stop.chat.id, stop.message_thread_id or 0))

    return router


def _elsewhere(tell_why: TellWhy) -> Router:
    router = Router()

    @router.message()
    @router.channel_post()
    async def elsewhere(message: Message) -> None:
        await tell_why(message.chat.id, _language_of(message.from_user))

    @router.my_chat_member()
    async def membership(change: ChatMemberUpdated) -> None:
        if _joined(change.chat, change.new_chat_member.status):
            await tell_why(change.chat.id, _language_of(change.from_user))

    return router


def _language_of(user: User | None) -> str | None:
    return None if user is None else user.language_code


def _joined(chat: Chat, status: str) -> bool:
    return chat.type != ChatType.PRIVATE and status in ("member", "administrator")
