"""The handlers and the courier under the rules of the Bot API as teremok knows them."""

from datetime import timedelta

import pytest
from aiogram import Bot
from aiogram.types import Message
from teremok import MockBot, MockMessageDocument, MockMessagePhoto, MockMessageText

from bot.acquaintance import Acquaintance
from bot.attachments.reader import AttachmentReader
from bot.commands.desk import Desk
from bot.courier import TelegramCourier
from bot.handlers import dispatcher
from bot.parts import MESSAGE_LIMIT
from bot.rich.cutting import cut
from bot.speaker import Speaker
from bot.standins.pictures import blank_png
from bot.words import Words
from coordination.ports import Delivered, Readable, Unreachable
from llm.contract import Image
from storage.database import Database
from storage.records import Attachment, ConversationKey, Format
from tests.support.one_process import OneProcess

HARD = "\n\n".join(
    [
        "# A & B < C",
        "**bold _and italic_** with `code <b>` and [a link](https://example.org/?a=1&b=2) 👩‍👩‍👧",
        "> quoted\n> twice",
        "```python\nprint('<&>')\n```",
        "word 👍🏽 " * 1500,
        "- one\n- **two**\n  - three",
    ]
)


def bot_of(db: Database, told: list[int]) -> MockBot:
    async def tell_why(chat_id: int, _language: str | None) -> None:
        told.append(chat_id)

    receiver = OneProcess(db, "peer").receiver
    # Whoever answers commands has nothing to say here.
    speaker = Speaker(Bot("4242:a-token-for-tests"))
    desk = Desk(db, receiver, Words(), speaker, Acquaintance(db), {})
    return MockBot(dispatcher(receiver, tell_why, desk, timedelta(seconds=5)))


async def stored(db: Database) -> list[str]:
    return [row.text for row in await db.fetch("SELECT text FROM messages ORDER BY seq", {})]


async def test_what_teremok_dispatches_is_stored(db: Database) -> None:
    told: list[int] = []
    bot = bot_of(db, told)
    messages: dict[str, Message] = {
        "hello": MockMessageText("hello"),
        "[sent a photo] lunch": MockMessagePhoto(caption="lunch"),
        "[sent a document: a.pdf, 2.05 KB]": MockMessageDocument(file_name="a.pdf"),
    }
    for message in messages.values():
        assert (await bot.dispatch(message)).handled
    assert await stored(db) == list(messages)
    assert not told
    assert len(bot.requests) == 0, "a handler stores, and asks Telegram for nothing"


async def test_files_are_fetched_through_aiogram(db: Database) -> None:
    bot = bot_of(db, [])
    bot.add_file("list", b"milk")
    bot.add_file("picture", blank_png(40, 30))
    reader = AttachmentReader(bot, None)
    assert await reader.read(Attachment("document", "list", 4, "text/plain")) == Readable(
        "It reads:\nmilk"
    )
    assert isinstance(await reader.read(Attachment("photo", "picture", 9)), Image)
    reader.close()


@pytest.mark.parametrize("how", ["entities", "plain"])
async def test_every_part_of_a_hard_answer_keeps_the_rules(db: Database, how: Format) -> None:
    bot = bot_of(db, [])
    courier = TelegramCourier(bot)
    parts = cut(HARD, how)
    assert len(parts) > 2
    for part in parts:
        sent = await courier.send(ConversationKey(501, 0), part, how, lambda: True)
        assert isinstance(sent, Delivered), sent
    assert len(bot.requests.send_message) == len(parts)


async def test_what_breaks_the_rules_is_refused(db: Database) -> None:
    """The rules are in force; without this the test above would say nothing."""
    courier = TelegramCourier(bot_of(db, []))
    text = "x" * (MESSAGE_LIMIT + 1)
    sent = await courier.send(ConversationKey(501, 0), text, "plain", lambda: True)
    assert isinstance(sent, Unreachable)
