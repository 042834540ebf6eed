"""Rich messages, entities, buttons and documents that the bot sends, and what is refused."""

import json
from io import BytesIO

import pytest
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputRichBlockParagraph,
    InputRichMessage,
    Message,
    MessageEntity,
)

from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, StandInBot, plain

MARKDOWN = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n**bold** <b>"
MORE = InlineKeyboardMarkup(
    inline_keyboard=[[InlineKeyboardButton(text="More", callback_data="more")]]
)


async def test_rich_message_is_kept_as_given(telegram: TelegramStandIn, made: StandInBot) -> None:
    message = await made.bot.send_rich_message(
        ADA, InputRichMessage(markdown=MARKDOWN), reply_markup=MORE
    )
    assert message.rich_message is not None
    assert len(message.rich_message.blocks) == 3
    (seen,) = await telegram.wait_for_reply(ADA)
    assert (seen.method, seen.text, seen.rich) == (
        "sendRichMessage",
        MARKDOWN,
        {"markdown": MARKDOWN},
    )


async def test_rich_message_of_blocks_or_html(telegram: TelegramStandIn, made: StandInBot) -> None:
    await made.bot.send_rich_message(
        ADA, InputRichMessage(blocks=[InputRichBlockParagraph(text="one")])
    )
    await made.bot.send_rich_message(ADA, InputRichMessage(html="<p>two</p>"))
    assert [seen.rich for seen in telegram.sent] == [
        {"blocks": [{"type": "paragraph", "text": "one"}]},
        {"html": "<p>two</p>"},
    ]


@pytest.mark.parametrize(
    ("rich", "complaint"),
    [
        (None, "rich message must be specified"),
        ({}, "exactly one of html, markdown or blocks"),
        ({"markdown": "a", "html": "b"}, "exactly one of html, markdown or blocks"),
        ({"markdown": " \n"}, "message text is empty"),
        ({"markdown": ["a"]}, "can't parse rich message: wrong type of markdown"),
        ({"blocks": [{"text": "a"}]}, "can't parse rich message: a block has no type"),
        ({"markdown": "a" * 32_769}, "RICH_MESSAGE_TOO_LONG"),
        ({"markdown": "a\n\n" * 501}, "RICH_MESSAGE_TOO_LONG"),
    ],
)
async def test_rich_message_refused(made: StandInBot, rich: object, complaint: str) -> None:
    said = await made.refusal("sendRichMessage", chat_id=ADA, rich_message=rich)
    assert said.startswith("Bad Request: ")
    assert complaint in said
    assert made.telegram.sent == []


async def test_longest_rich_message(telegram: TelegramStandIn, made: StandInBot) -> None:
    await made.bot.send_rich_message(ADA, InputRichMessage(markdown="a" * 32_768))
    assert len(telegram.sent[0].text) == 32_768


async def test_entities_move_with_the_text(made: StandInBot) -> None:
    bold = MessageEntity(type="bold", offset=2, length=4)
    message = await made.bot.send_message(ADA, "\n\n😀 b ", entities=[bold])
    assert message.text == "😀 b"
    assert plain(*message.entities or ()) == [{"type": "bold", "offset": 0, "length": 4}]


async def test_commands_are_marked_where_nothing_else_is(made: StandInBot) -> None:
    code = MessageEntity(type="code", offset=0, length=2)
    message = await made.bot.send_message(ADA, "/a or /b", entities=[code])
    assert [(each.type, each.offset) for each in message.entities or ()] == [
        ("code", 0),
        ("bot_command", 6),
    ]


async def test_quote_of_what_is_answered(telegram: TelegramStandIn, made: StandInBot) -> None:
    asked = telegram.say(ADA, "😀 one and two")
    reply = {"message_id": asked, "quote": "two"}
    said = await made.call("sendMessage", chat_id=ADA, text="this", reply_parameters=reply)
    quote = Message.model_validate(said["result"]).quote
    assert quote is not None
    assert (quote.text, quote.position) == ("two", 11)
    wrong = {"chat_id": ADA, "text": "this", "reply_parameters": {**reply, "quote": "three"}}
    assert "QUOTE_TEXT_INVALID" in await made.refusal("sendMessage", **wrong)


@pytest.mark.parametrize(
    ("entities", "complaint"),
    [
        ([{"type": "bold", "offset": 0, "length": 6}], "ends after the end of the text"),
        ([{"type": "bold", "offset": 1, "length": 1}], "begins in a middle of a UTF-16 symbol"),
        ([{"type": "bold", "offset": 0, "length": 1}], "ends in a middle of a UTF-16 symbol"),
        ([{"type": "bold", "offset": -1, "length": 1}], "receive entity with incorrect offset"),
        ([{"type": "bold", "offset": 0, "length": -1}], "receive entity with incorrect length"),
        ([{"offset": 0, "length": 1}], "can't parse MessageEntity: Can't find field \"type\""),
        (["bold"], "can't parse MessageEntity: expected an Object"),
        ({}, "can't parse entities JSON object"),
        ([{"type": "bold", "offset": 0, "length": 2}] * 101, "ENTITIES_TOO_LONG"),
    ],
)
async def test_entities_refused(made: StandInBot, entities: object, complaint: str) -> None:
    encoded = json.dumps(entities)
    said = await made.refusal("sendMessage", chat_id=ADA, text="😀abc", entities=encoded)
    assert complaint in said


@pytest.mark.parametrize(
    ("markup", "complaint"),
    [
        ("{", "can't parse reply keyboard markup JSON object"),
        ([1], "object expected as reply markup"),
        ({"inline_keyboard": [1]}, "must be an Array of Arrays"),
        ({"inline_keyboard": [[{}]]}, 'Can\'t find field "text"'),
        ({"inline_keyboard": [[{"text": "a"}]]}, "Text buttons are unallowed"),
        ({"inline_keyboard": [[{"text": "a", "callback_data": "é" * 33}]]}, "BUTTON_DATA_INVALID"),
    ],
)
async def test_keyboard_refused(made: StandInBot, markup: object, complaint: str) -> None:
    said = await made.refusal("sendMessage", chat_id=ADA, text="a", reply_markup=markup)
    assert complaint in said


async def test_edit_of_text_buttons_and_to_rich(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    asked = telegram.say(ADA, "a question")
    said = await made.call(
        "sendMessage", chat_id=ADA, text="one", reply_parameters={"message_id": asked}
    )
    place = {"chat_id": ADA, "message_id": said["result"]["message_id"]}
    with_button = await made.bot.edit_message_reply_markup(**place, reply_markup=MORE)
    assert isinstance(with_button, Message)
    assert with_button.text == "one"
    assert plain(with_button.reply_markup) == plain(MORE)
    unchanged = {**place, "reply_markup": MORE.model_dump(exclude_none=True)}
    assert "not modified" in await made.refusal("editMessageReplyMarkup", **unchanged)
    rich = InputRichMessage(markdown="**two**")
    changed = await made.bot.edit_message_text(rich_message=rich, **place)
    assert isinstance(changed, Message)
    assert (changed.reply_markup, changed.text) == (None, None)
    assert changed.reply_to_message is not None
    last = telegram.sent[-1]
    assert (last.method, last.text, last.rich) == (
        "editMessageText",
        "**two**",
        {"markdown": "**two**"},
    )


async def test_document_is_kept(telegram: TelegramStandIn, made: StandInBot) -> None:
    upload = BufferedInputFile(b"a,b\n", filename="table.csv")
    message = await made.bot.send_document(ADA, upload, caption="your table")
    assert message.document is not None
    (seen,) = await telegram.wait_for_reply(ADA)
    assert seen.document is not None
    assert (seen.text, seen.document.name, seen.document.data) == (
        "your table",
        "table.csv",
        b"a,b\n",
    )
    place = {"chat_id": ADA, "message_id": message.message_id}
    complaint = "there is no text in the message to edit"
    assert complaint in await made.refusal("editMessageText", **place, text="no")
    again = await made.bot.send_document(ADA, message.document.file_id)
    assert plain(again.document) == plain(message.document)
    assert telegram.sent[-1].document == seen.document


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "there is no document in the request"),
        ({"document": "attach://file"}, "there is no document in the request"),
        ({"document": "https://example.org/a"}, "wrong file identifier/HTTP URL specified"),
        ({"document": "x", "caption": "a" * 1025}, "message caption is too long"),
    ],
)
async def test_document_refused(made: StandInBot, params: dict[str, str], complaint: str) -> None:
    assert complaint in await made.refusal("sendDocument", chat_id=ADA, **params)


async def test_empty_document_refused(made: StandInBot) -> None:
    url = f"{made.telegram.url}/bot4242:stand-in-token/sendDocument?chat_id={ADA}"
    async with made.http.post(url, data={"document": BytesIO()}) as answer:
        assert "file must be non-empty" in await answer.text()
