"""[1] An update becomes an inbound message. Nothing here waits for a model or for Telegram."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog
from aiogram import Dispatcher, Router
from aiogram.enums import ChatType
from aiogram.types import Chat, ChatMemberUpdated, Message, MessageGenerationStopped

from bot.inbound.message import inbound
from bot.inbound.person import person
from coordination.people import People
from coordination.receive import Receiver
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

TellWhy = Callable[[int], Awaitable[None]]
"""Tells a group or channel, once, that the bot does not answer there."""


def dispatcher(
    receiver: Receiver, people: People, tell_why: TellWhy, long_quiet: timedelta
) -> Dispatcher:
    """The routes of every kind of update that the bot asks Telegram for."""
    routes = Dispatcher(disable_fsm=True)
    routes.include_router(_in_private(receiver, people, long_quiet))
    routes.include_router(_elsewhere(tell_why))
    return routes


def _in_private(receiver: Receiver, people: People, long_quiet: timedelta) -> Router:
    router = Router()

    @router.message(_is_private)
    async def private_message(message: Message) -> None:
        if came := inbound(message, long_quiet):
            if author := person(message):
                await people.meet(message.chat.id, author)
            await receiver.receive(came)
        else:
            log.debug("nothing_to_answer", kind=message.content_type)

    @router.edited_message(_is_private)
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
        await tell_why(message.chat.id)

    @router.my_chat_member()
    async def membership(change: ChatMemberUpdated) -> None:
        if _joined(change.chat, change.new_chat_member.status):
            await tell_why(change.chat.id)

    return router


async def _is_private(message: Message) -> bool:
    # aiogram sends filters that are not async to a thread, for every update.
    return message.chat.type == ChatType.PRIVATE


def _joined(chat: Chat, status: str) -> bool:
    return chat.type != ChatType.PRIVATE and status in ("member", "administrator")
