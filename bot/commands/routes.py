"""Which command is whose, and which button."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiogram import Bot, Router
from aiogram.enums import ChatType
from aiogram.exceptions import AiogramError
from aiogram.methods import AnswerCallbackQuery
from aiogram.types import CallbackQuery, Message

from bot.commands import choices, information, own_data, talk
from bot.commands.asked import Asked, asked
from bot.commands.desk import Desk, Request, say_text
from bot.private import conversation, is_private
from storage.people import person
from storage.records import ConversationKey

Handler = Callable[[Desk, Request], Awaitable[None]]

COMMANDS: dict[str, Handler] = {
    "start": talk.start,
    "help": information.assist,
    "stop": talk.stop,
    "reset": talk.reset,
    "retry": talk.retry,
    "settings": choices.settings,
    "privacy": information.privacy,
    "export": own_data.export,
    "forget": own_data.forget,
}
BUTTONS: dict[str, Handler] = {
    "language": choices.language_chosen,
    "streaming": choices.streaming_chosen,
    "forget": own_data.forget_chosen,
}


def commands(desk: Desk) -> Router:
    """The routes of commands and buttons; what is no command of ours goes on as a message."""
    router = Router()

    async def is_ours(message: Message, bot: Bot) -> bool | dict[str, Any]:
        command = asked(message)
        if command is None or not (command.name in COMMANDS or command.name in desk.canned):
            return False
        return {"command": command} if await _is_meant(command, bot) else False

    @router.message(is_private, is_ours)
    async def command_given(message: Message, command: Asked) -> None:
        key = conversation(message)
        if message.from_user:
            await desk.people.meet(key.chat_id, message.from_user)
        language = (await person(desk.db, key.chat_id)).speaks
        request = Request(key, message.message_id, command.argument, language)
        if command.name in COMMANDS:
            await COMMANDS[command.name](desk, request)
        else:
            say_text(desk, request, desk.canned[command.name])

    @router.edited_message(is_private, is_ours)
    async def command_edited(_message: Message) -> None:
        """What was asked is done; an edit asks nothing, and is no message either."""

    @router.callback_query()
    async def button_pressed(query: CallbackQuery) -> None:
        await _press(desk, query)
        desk.speaker.send(AnswerCallbackQuery(callback_query_id=query.id))

    return router


async def _press(desk: Desk, query: CallbackQuery) -> None:
    kind, _, argument = (query.data or "").partition(":")
    place = query.message
    if place is None or place.chat.type != ChatType.PRIVATE or kind not in BUTTONS:
        return
    chat_id = place.chat.id
    if kind != "forget":
        # Who is being forgotten must not be written down again when Telegram repeats it.
        await desk.people.meet(chat_id, query.from_user)
    language = (await person(desk.db, chat_id)).speaks or query.from_user.language_code
    key = ConversationKey(chat_id, 0)
    await BUTTONS[kind](desk, Request(key, place.message_id, argument, language))


async def _is_meant(command: Asked, bot: Bot) -> bool:
    if command.mention is None:
        return True
    try:
        name = (await bot.me()).username or ""
    except AiogramError:
        return False  # a message too many for the model is better than one lost
    return name.lower() == command.mention.lower()
