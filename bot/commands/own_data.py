"""/export and /forget: what is kept belongs to whom it is about."""

import json

from aiogram.methods import EditMessageText, SendDocument
from aiogram.types import BufferedInputFile, InlineKeyboardButton, InlineKeyboardMarkup

from bot.commands.desk import Desk, Request, say
from storage.forget import forget_everything
from storage.own_data import own_data

FILE_NAME = "my-data.json"


async def export(desk: Desk, request: Request) -> None:
    """Send everything as a file."""
    found = await own_data(desk.db, request.key.chat_id)
    content = json.dumps(found, ensure_ascii=False, indent=2, default=str).encode()
    desk.speaker.send(
        SendDocument(
            chat_id=request.key.chat_id,
            message_thread_id=request.key.thread_id or None,
            document=BufferedInputFile(content, FILE_NAME),
            caption=desk.words.say("export-caption", request.language),
        )
    )


async def forget(desk: Desk, request: Request) -> None:
    """Ask whether that is meant."""
    choices = [
        InlineKeyboardButton(
            text=desk.words.say(f"forget-{choice}", request.language),
            callback_data=f"forget:{choice}",
        )
        for choice in ("yes", "no")
    ]
    markup = InlineKeyboardMarkup(inline_keyboard=[[each] for each in choices])
    say(desk, request, "forget-asks", markup)


async def forget_chosen(desk: Desk, request: Request) -> None:
    """Delete everything, or nothing; a button works once."""
    chat_id = request.key.chat_id
    if request.argument == "yes":
        ended = await forget_everything(desk.db, chat_id, request.message_id)
        desk.receiver.forgotten(ended)
        desk.people.forget(chat_id)
    name = "forget-done" if request.argument == "yes" else "forget-kept"
    text = desk.words.say(name, request.language)
    desk.speaker.send(EditMessageText(chat_id=chat_id, message_id=request.message_id, text=text))
