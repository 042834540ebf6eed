"""What people send besides text, from Telegram to the model and back."""

import base64
from io import BytesIO
from time import time
from typing import Any

from PIL import Image

from bot.attachments.pictures import LONGEST_SIDE
from bot.standins.pictures import blank_png
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_settled
from tests.support.whole_bursts import HELD_OPEN, close_whole

ADA = 501
CHAT = {"id": ADA, "type": "private"}
GONE = {"file_id": "gone", "file_unique_id": "g", "file_name": "a.txt", "mime_type": "text/plain"}


async def asked(around: Neighbours) -> Any:
    """What the model got to see of the burst, once the reply is there."""
    await around.telegram.wait_for_reply(ADA)
    await until_settled(around.database_url)
    assert len(around.seen_by(ADA)) == 1
    return around.model.calls[-1].messages[-1]["content"]


def shown(part: dict[str, Any]) -> Image.Image:
    head, _, data = part["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(BytesIO(base64.b64decode(data)))


async def test_an_album_and_a_text_get_one_reply_that_saw_it_all(around: Neighbours) -> None:
    async with running_bot(around.settings(**HELD_OPEN)):
        pictures = [blank_png(2000, 1000), blank_png(30, 40)]
        await around.telegram.say_album(ADA, pictures, "Which one?")
        around.telegram.say(ADA, "Quick!")
        await close_whole(around.database_url, 3)
        text, first, second = await asked(around)
    assert text == {"type": "text", "text": "[sent a photo] Which one?\n[sent a photo]\nQuick!"}
    assert shown(first).size == (LONGEST_SIDE, LONGEST_SIDE // 2)
    assert shown(second).size == (30, 40)


async def test_the_words_of_a_document_reach_the_model(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say_document(ADA, b"milk, bread", "list.csv", "text/csv", "Buy this")
        content = await asked(around)
    assert content == (
        "[sent a document: list.csv, text/csv, 11 bytes] Buy this\nIt reads:\nmilk, bread"
    )


async def test_a_voice_message_is_heard(around: Neighbours) -> None:
    around.model.hearing.transcript = lambda recording: f"call me, {recording.name}"
    async with running_bot(around.settings(transcription_model="whisper-1")):
        around.telegram.say_voice(ADA, duration=7)
        content = await asked(around)
    assert content == "[sent a voice message of 7 s]\nIt says: call me, voice.ogg"
    assert [each.model for each in around.model.hearing.recordings] == ["whisper-1"]


async def test_without_a_model_that_hears_the_bot_says_so(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say_video_note(ADA, duration=7)
        content = await asked(around)
    assert content == "[sent a video note of 7 s]\n[you cannot listen to it: say so]"


async def test_a_retry_shows_the_pictures_again(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say_photo(ADA, blank_png(40, 30), "What is it?")
        await asked(around)
        for count in (2, 3):
            around.telegram.say(ADA, "/retry")
            await around.telegram.wait_for_reply(ADA, count)
            await until_settled(around.database_url)
            assert "40x30" in around.seen_by(ADA)[-1].text
        around.telegram.say(ADA, "thanks")
        await around.telegram.wait_for_reply(ADA, 4)
        await until_settled(around.database_url)
    assert "40x30" not in around.seen_by(ADA)[-1].text


async def test_what_cannot_be_read_is_answered_too(around: Neighbours) -> None:
    async with running_bot(around.settings(**HELD_OPEN)):
        message = {"message_id": 1, "date": int(time()), "chat": CHAT}
        around.telegram.push({"message": {**message, "document": GONE}})
        around.telegram.say_document(ADA, b"%PDF-", "broken.pdf", "application/pdf")
        around.telegram.say_document(ADA, b"PK", "a.zip", "application/zip")
        await close_whole(around.database_url, 3)
        content = await asked(around)
    assert content.splitlines() == [
        "[sent a document: a.txt, text/plain]",
        "[it could not be read: say so]",
        "[sent a document: broken.pdf, application/pdf, 5 bytes]",
        "[it could not be read: say so]",
        "[sent a document: a.zip, application/zip, 2 bytes]",
        "[you cannot open files of this kind: say so]",
    ]


async def test_the_model_is_told_who_writes(around: Neighbours) -> None:
    async with running_bot(around.settings(system_prompt="Be kind.")):
        around.telegram.say(ADA, "hello", first_name="Ada", language_code="ko")
        await asked(around)
    system = around.model.calls[-1].messages[0]["content"]
    assert system == "Be kind.\n\nThe user's name is Ada; their language is ko."
