"""What people do with messages that are there: reply, quote, forward, edit, press a button."""

import pytest
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup, Message

from bot.standins.origins import Origin, from_channel, from_hidden_user, from_user
from bot.standins.pictures import blank_png
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, StandInBot

YES = InlineKeyboardMarkup(
    inline_keyboard=[[InlineKeyboardButton(text="Yes", callback_data="yes")]]
)


async def test_reply_with_a_quote(telegram: TelegramStandIn, made: StandInBot) -> None:
    sent = await made.bot.send_message(ADA, "😀 one and two")
    telegram.say(ADA, "which?", reply_to=sent.message_id, quote="one")
    message = await made.message()
    assert message.reply_to_message is not None
    assert message.quote is not None
    assert message.reply_to_message.text == "😀 one and two"
    assert (message.quote.text, message.quote.position, message.quote.is_manual) == ("one", 3, True)


async def test_a_reply_does_not_hold_the_one_before(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    first = telegram.say(ADA, "one")
    second = telegram.say(ADA, "two", reply_to=first)
    telegram.say(ADA, "three", reply_to=second)
    third = (await made.updates())[-1].message
    assert third is not None
    assert third.reply_to_message is not None
    assert third.reply_to_message.reply_to_message is None
    for manner in ({"reply_to": 5}, {"reply_to": first, "quote": "two"}):
        with pytest.raises(LookupError):
            telegram.say(ADA, "four", **manner)


@pytest.mark.parametrize(
    ("origin", "kind"),
    [
        (from_user(8, "Bruno"), "user"),
        (from_hidden_user("Somebody"), "hidden_user"),
        (from_channel(55, "News", 12), "channel"),
    ],
)
async def test_forward_from_elsewhere(
    telegram: TelegramStandIn, made: StandInBot, origin: Origin, kind: str
) -> None:
    telegram.say(ADA, "you won", origin=origin)
    message = await made.message()
    assert message.forward_origin is not None
    assert (message.text, message.forward_origin.type) == ("you won", kind)


async def test_forward_within_a_chat(telegram: TelegramStandIn, made: StandInBot) -> None:
    sent = await made.bot.send_message(ADA, "an answer", reply_markup=YES)
    telegram.forward(ADA, sent.message_id)
    telegram.say_photo(8, blank_png(3, 2), "mine", first_name="Bruno")
    (photo,) = telegram.chats.by_id[8].lines
    telegram.forward(ADA, photo, from_chat_id=8)
    answer, _, picture = [update.message for update in await made.updates()]
    assert isinstance(answer, Message)
    assert isinstance(picture, Message)
    assert answer.forward_origin is not None
    assert (answer.text, answer.reply_markup) == ("an answer", None)
    assert answer.forward_origin.model_dump()["sender_user"]["is_bot"]
    assert (picture.caption, picture.chat.id) == ("mine", ADA)


async def test_edit_of_a_message_not_fetched_yet(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    message_id = telegram.say(ADA, "helo")
    telegram.edit(ADA, message_id, "hello /now")
    first, second = await made.updates()
    assert (first.message and first.message.text) == "helo"
    edited = second.edited_message
    assert edited is not None
    assert (edited.message_id, edited.text) == (message_id, "hello /now")
    assert edited.edit_date is not None
    assert edited.entities is not None
    sent = await made.bot.send_message(ADA, "mine")
    for wrong in (sent.message_id, 5):
        with pytest.raises(LookupError):
            telegram.edit(ADA, wrong, "no")


async def test_edit_of_a_caption_keeps_the_photo(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    message_id = telegram.say_photo(ADA, blank_png(3, 2), "one")
    telegram.edit(ADA, message_id, "two")
    first, second = await made.updates()
    assert first.message is not None
    assert second.edited_message is not None
    assert second.edited_message.caption == "two"
    assert second.edited_message.photo == first.message.photo


async def test_deep_link(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.press_start(ADA, "ref_5")
    telegram.say(ADA, "see a/b and 1/2, 😀 then /help@stand_in_bot")
    started, asked = [update.message for update in await made.updates()]
    assert started is not None
    assert asked is not None
    assert started.text == "/start ref_5"
    assert [(each.offset, each.length) for each in started.entities or ()] == [(0, 6)]
    assert [each.extract_from(asked.text or "") for each in asked.entities or ()] == [
        "/help@stand_in_bot"
    ]


async def test_press_is_answered_once(telegram: TelegramStandIn, made: StandInBot) -> None:
    sent = await made.bot.send_message(ADA, "Sure?", reply_markup=YES)
    query_id = telegram.press(ADA, sent.message_id, "yes")
    query = (await made.update()).callback_query
    assert query is not None
    assert (query.id, query.data, query.from_user.language_code) == (query_id, "yes", "de")
    assert isinstance(query.message, Message)
    assert query.message.reply_markup == YES
    await made.bot.answer_callback_query(query_id, "Done", show_alert=True)
    answer = await telegram.wait_for_press_answer(query_id)
    assert (answer.chat_id, answer.text, answer.show_alert) == (ADA, "Done", True)
    assert "query is too old" in await made.refusal("answerCallbackQuery", callback_query_id="1")
    with pytest.raises(LookupError):
        telegram.press(ADA, sent.message_id, "no")
    with pytest.raises(TimeoutError):
        await telegram.wait_for_press_answer("1", timeout=0)


async def test_name_and_language_change(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.introduce(ADA, "Ada L.", "fr")
    telegram.say(ADA, "bonjour")
    sender = (await made.message()).from_user
    assert sender is not None
    assert (sender.first_name, sender.language_code) == ("Ada L.", "fr")


async def test_only_what_the_bot_asked_for(telegram: TelegramStandIn, made: StandInBot) -> None:
    await made.bot.get_updates(allowed_updates=["message"])
    sent = await made.bot.send_message(ADA, "Sure?", reply_markup=YES)
    telegram.press(ADA, sent.message_id, "yes")
    telegram.edit(ADA, telegram.say(ADA, "one"), "two")
    assert (await made.message()).text == "one"
