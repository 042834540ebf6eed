"""/settings: buttons for the language and for what is seen of an answer."""

from aiogram.methods import EditMessageText
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from bot.commands.desk import Desk, Request, say
from bot.words import Words
from storage.people import Person, choose_language, choose_streaming, person

AUTOMATIC = "auto"
IN_A_ROW = 2


async def settings(desk: Desk, request: Request) -> None:
    """Show what can be chosen."""
    who = await person(desk.db, request.key.chat_id)
    say(desk, request, "settings", buttons(desk.words, who))


async def language_chosen(desk: Desk, request: Request) -> None:
    """Speak the language of the button from now on."""
    code = request.argument
    if code == AUTOMATIC or code in desk.words.languages:
        chosen = None if code == AUTOMATIC else code
        await choose_language(desk.db, request.key.chat_id, chosen)
    await _show_again(desk, request)


async def streaming_chosen(desk: Desk, request: Request) -> None:
    """Show answers while they are written from now on, or not."""
    await choose_streaming(desk.db, request.key.chat_id, request.argument == "on")
    await _show_again(desk, request)


def buttons(words: Words, who: Person) -> InlineKeyboardMarkup:
    """What can be chosen; what was chosen is ticked."""
    languages = [
        _button(words.say("language-name", code), f"language:{code}", who.chosen_language == code)
        for code in words.languages
    ]
    automatic = words.say("settings-automatic", who.speaks)
    languages.append(_button(automatic, f"language:{AUTOMATIC}", who.chosen_language is None))
    is_on = who.wants_streaming is not False
    streaming = _button(
        words.say("settings-streaming", who.speaks), f"streaming:{'off' if is_on else 'on'}", is_on
    )
    rows = [languages[at : at + IN_A_ROW] for at in range(0, len(languages), IN_A_ROW)]
    return InlineKeyboardMarkup(inline_keyboard=[*rows, [streaming]])


def _button(text: str, data: str, is_chosen: bool) -> InlineKeyboardButton:
    return InlineKeyboardButton(text=f"✓ {text}" if is_chosen else text, callback_data=data)


async def _show_again(desk: Desk, request: Request) -> None:
    who = await person(desk.db, request.key.chat_id)
    desk.speaker.send(
        EditMessageText(
            chat_id=request.key.chat_id,
            message_id=request.message_id,
            text=desk.words.say("settings", who.speaks),
            reply_markup=buttons(desk.words, who),
        )
    )
