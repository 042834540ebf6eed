"""Whatever people send, a burst of it costs one model call, which gets all of it, and one reply."""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.standins.origins import from_channel, from_user
from bot.standins.paste import cut_paste
from bot.standins.pictures import blank_png
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_found, until_settled
from tests.support.whole_bursts import HELD_OPEN
from tests.support.written_pdf import written_pdf

ADA = 501
PDF = written_pdf("It snows")
PAUSE = 0.8
"""Seconds: longer than the usual quiet, much shorter than the long one."""
SAID = "SELECT 1 AS yes FROM messages HAVING count(*) = :said"
CLOSE = "UPDATE windows SET closes_at = clock_timestamp() RETURNING 1"

BURSTS: dict[str, Callable[[TelegramStandIn, int], object]] = {
    "[sent a sticker: 🎉]\nHurray": lambda people, chat: (
        people.say_sticker(chat, "🎉"),
        people.say(chat, "Hurray"),
    ),
    "[sent a contact: Bob Lee, +44 20 7183 8750]": lambda people, chat: people.say_contact(
        chat, "+44 20 7183 8750", "Bob Lee"
    ),
    "[sent a location: latitude 48.2, longitude 16.37]\nMeet me there": lambda people, chat: (
        people.say_location(chat, 48.2, 16.37),
        people.say(chat, "Meet me there"),
    ),
    "[sent a poll: “Lunch?” Options: “soup”, “salad”]": lambda people, chat: people.say_poll(
        chat, "Lunch?", ["soup", "salad"]
    ),
    "[Forwarded from Grace]\nThe tests are red\nShall we worry?": lambda people, chat: (
        people.say(chat, "The tests are red", origin=from_user(77, "Grace")),
        people.say(chat, "Shall we worry?"),
    ),
    "[Forwarded from the channel Weather]\n[sent a sticker: ☔]": lambda people, chat: (
        people.say_sticker(chat, "☔", origin=from_channel(9, "Weather"))
    ),
    "[sent a voice message of 4 s]\n[you cannot listen to it: say so]": lambda people, chat: (
        people.say_voice(chat, duration=4)
    ),
    "[sent a document: a.txt, text/plain, 8 bytes] Sum it up\nIt reads:\nIt rains": (
        lambda people, chat: people.say_document(
            chat, b"It rains", "a.txt", "text/plain", "Sum it up"
        )
    ),
    f"[sent a document: a.pdf, application/pdf, {len(PDF)} bytes]\nIt reads:\nIt snows": (
        lambda people, chat: people.say_document(chat, PDF, "a.pdf", "application/pdf")
    ),
}


@asynccontextmanager
async def one_answer(
    around: Neighbours, db: Database, chats: Sequence[int] = (ADA,), **changed: object
) -> AsyncIterator[TelegramStandIn]:
    """The people while they write; each of them gets one reply, which costs one call.

    The windows close once all is received, unless the quiet periods are `changed`.
    """
    async with running_bot(around.settings(**{**HELD_OPEN, **changed})):
        yield around.telegram
        if not changed.keys() & HELD_OPEN.keys():
            said = sum(len(around.telegram.chats.by_id[chat].lines) for chat in chats)
            await until_found(around.database_url, SAID, {"said": said})
            await db.fetch(CLOSE, {})
        for chat in chats:
            await around.telegram.wait_for_reply(chat)
        await until_settled(around.database_url)
    assert [len(around.seen_by(chat)) for chat in chats] == [1] * len(chats)
    assert around.model.counts["answered"] == len(chats)
    await assert_guarantees(db)


def asked(around: Neighbours) -> tuple[str, list[str]]:
    """What the model was told at last, and which pictures it then said it saw."""
    content: Any = around.model.calls[-1].messages[-1]["content"]
    words = content if isinstance(content, str) else content[0]["text"]
    return words, re.findall(r"\d+x\d+", around.seen_by(ADA)[0].text)


async def test_each_kind_of_message_reaches_the_model_in_words(
    around: Neighbours, db: Database
) -> None:
    chats = range(ADA, ADA + len(BURSTS))
    async with one_answer(around, db, chats) as people:
        for chat, burst in zip(chats, BURSTS.values(), strict=True):
            burst(people, chat)
    assert around.model.counts["begun"] == len(chats)
    assert sorted(call.messages[-1]["content"] for call in around.model.calls) == sorted(BURSTS)


async def test_a_large_photo_is_shown_smaller(around: Neighbours, db: Database) -> None:
    async with one_answer(around, db) as people:
        people.say_photo(ADA, blank_png(3000, 2000), "What is it?")
    assert asked(around) == ("[sent a photo] What is it?", ["1568x1045"])


async def test_an_album_waits_for_a_slow_sibling_and_its_question(
    around: Neighbours, db: Database
) -> None:
    pictures = [blank_png(40, 30), blank_png(50, 30), blank_png(60, 30)]
    async with one_answer(
        around, db, debounce_quiet_seconds=0.3, debounce_long_quiet_seconds=6
    ) as people:
        await people.say_album(ADA, pictures, "Ours", delay=PAUSE)
        people.say(ADA, "Which one?")
    words = "[sent a photo] Ours\n[sent a photo]\n[sent a photo]\nWhich one?"
    assert asked(around) == (words, ["40x30", "50x30", "60x30"])
    assert around.model.counts["begun"] == 1


async def test_a_reply_to_a_quote_says_what_is_meant(around: Neighbours, db: Database) -> None:
    async with one_answer(around, db) as people:
        number = people.say(ADA, "Tea or coffee? Milk or sugar?")
        people.say(ADA, "the first", reply_to=number, quote="Milk or sugar?")
        people.say(ADA, "please", reply_to=number)
    assert asked(around)[0].splitlines() == [
        "Tea or coffee? Milk or sugar?",
        "[In reply to: “Milk or sugar?” (written by the user)]",
        "the first",
        "[In reply to: “Tea or coffee? Milk or sugar?” (written by the user)]",
        "please",
    ]


async def test_a_reply_to_what_the_bot_said_says_what_that_was(
    around: Neighbours, db: Database
) -> None:
    around.model.answer = lambda _messages: "# Tea\n\nor **coffee**?"
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "Hello")
        [first] = await around.telegram.wait_for_reply(ADA)
        around.telegram.say(ADA, "the second", reply_to=first.message_id)
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    assert first.method == "sendRichMessage"
    assert asked(around)[0] == (
        "[In reply to: “# Tea\nor **coffee**?” (written by you, the assistant)]\nthe second"
    )
    await assert_guarantees(db)


async def test_a_voice_message_is_heard_with_the_words_after_it(
    around: Neighbours, db: Database
) -> None:
    around.model.hearing.transcript = lambda recording: f"{recording.data!r} at noon"
    async with one_answer(around, db, transcription_model="whisper-1") as people:
        people.say_voice(ADA, b"OggS", duration=2)
        people.say(ADA, "or later")
    said = "[sent a voice message of 2 s]\nIt says: b'OggS' at noon\nor later"
    assert asked(around) == (said, [])
    assert around.model.counts["begun"] == 1


async def test_a_file_that_telegram_finds_too_big_is_called_so(
    around: Neighbours, db: Database
) -> None:
    around.telegram.switches.on("big-file")
    async with one_answer(around, db) as people:
        people.say_document(ADA, b"words", "book.txt", "text/plain")
    assert asked(around)[0].splitlines() == [
        "[sent a document: book.txt, text/plain, 5 bytes]",
        "[it is larger than 20 MB, so you cannot open it: say so]",
    ]


async def test_a_slow_file_is_waited_for(around: Neighbours, db: Database) -> None:
    around.telegram.switches.on("slow-file", 2)
    async with one_answer(around, db) as people:
        people.say_document(ADA, b"words", "book.txt", "text/plain")
        people.say_photo(ADA, blank_png(40, 30))
    assert asked(around)[1] == ["40x30"]
    assert "It reads:\nwords" in asked(around)[0]
    assert around.model.counts["begun"] == 1


async def test_a_long_paste_is_one_message_again(around: Neighbours, db: Database) -> None:
    paste = " ".join(f"word{number}" for number in range(1500))
    parts = cut_paste(paste)
    assert len(parts) == 4
    async with one_answer(around, db) as people:
        for part in parts:
            people.say(ADA, part)
    assert "".join(asked(around)[0].split()) == "".join(paste.split())
    assert around.model.counts["begun"] == 1
