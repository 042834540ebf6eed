"""[1] An update becomes an inbound message. Nothing here waits for a model or for Telegram."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog
from aiogram import Dispatcher, Router
from aiogram.enums import ChatType
from aiogram.types import Chat, ChatMemberUpdated, Message, MessageGenerationStopped, User

from bot.commands.desk import Desk
from bot.commands.routes import commands
from bot.inbound.message import inbound
from bot.private import is_private
from coordination.receive import Receiver
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

TellWhy = Callable[[int, str | None], Awaitable[None]]
"""Tells a group or channel, once, in a language, that the bot does not answer there."""

Meet = Callable[[int, User], Awaitable[None]]
"""Takes note of who writes in a chat."""


def dispatcher(
    receiver: Receiver, tell_why: TellWhy, desk: Desk, long_quiet: timedelta
) -> Dispatcher:
    """The routes of every kind of update that the bot asks Telegram for."""
    routes = Dispatcher(disable_fsm=True)
    routes.include_router(commands(desk))
    routes.include_router(_in_private(receiver, desk.people.meet, long_quiet))
    routes.include_router(_elsewhere(tell_why))
    return routes


def _in_private(receiver: Receiver, meet: Meet, long_quiet: timedelta) -> Router:
    router = Router()

    @router.message(is_private)
    async def private_message(message: Message) -> None:
        if came := inbound(message, long_quiet):
            if message.from_user:
                await meet(message.chat.id, message.from_user)
            await receiver.receive(came)
        else:
            log.debug("nothing_to_answer", kind=message.content_type)

    @router.edited_message(is_private)
    async def edited(message: Message) -> None:
        if message.edit_date and (corrected := inbound(message)):
            await receiver.correct(corrected)

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
