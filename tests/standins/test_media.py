"""What people send besides text arrives as Telegram shapes it, and its files can be fetched."""

from io import BytesIO

import pytest
from aiogram.exceptions import TelegramBadRequest

from bot.standins.pictures import blank_png, picture_size
from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, TOKEN, StandInBot

PHOTO = blank_png(800, 600)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x04JF\xff\xfe\x00\x05abc\xff\xff\xc2\x00\x11\x08\x01\x2c\x02\x58"
    + b"\x00" * 12
)


async def fetched(made: StandInBot, file_id: str) -> bytes:
    file = await made.bot.get_file(file_id)
    assert file.file_path is not None
    content = BytesIO()
    await made.bot.download_file(file.file_path, content)
    return content.getvalue()


async def test_photo_comes_in_two_sizes(telegram: TelegramStandIn, made: StandInBot) -> None:
    message_id = telegram.say_photo(ADA, PHOTO, "look at https://example.org/a, /help")
    message = await made.message()
    assert message.photo is not None
    assert message.caption_entities is not None
    small, whole = message.photo
    assert (message.message_id, message.caption) == (
        message_id,
        "look at https://example.org/a, /help",
    )
    assert [(entity.type, entity.length) for entity in message.caption_entities] == [
        ("url", 21),
        ("bot_command", 5),
    ]
    assert (whole.width, whole.height, whole.file_size) == (800, 600, len(PHOTO))
    assert await fetched(made, whole.file_id) == PHOTO
    assert picture_size(await fetched(made, small.file_id)) == (small.width, small.height)


async def test_album(telegram: TelegramStandIn, made: StandInBot) -> None:
    ids = await telegram.say_album(ADA, [PHOTO, PHOTO, JPEG], "three", delay=0.001)
    messages = [update.message for update in await made.updates()]
    assert [message and message.message_id for message in messages] == ids
    assert [message and message.caption for message in messages] == ["three", None, None]
    assert len({message and message.media_group_id for message in messages}) == 1
    last = messages[-1]
    assert last is not None
    assert last.photo is not None
    assert (last.photo[-1].width, last.photo[-1].height) == (600, 300)


async def test_voice_and_video_note(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.say_voice(ADA, b"spoken", duration=9)
    telegram.say_video_note(ADA, b"round")
    spoken, seen = [update.message for update in await made.updates()]
    assert spoken is not None
    assert spoken.voice is not None
    assert (spoken.voice.duration, spoken.voice.mime_type) == (9, "audio/ogg")
    assert await fetched(made, spoken.voice.file_id) == b"spoken"
    assert seen is not None
    assert seen.video_note is not None
    assert await fetched(made, seen.video_note.file_id) == b"round"


async def test_document(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.say_document(ADA, b"%PDF-", "../a b.pdf", "application/pdf", "read this")
    message = await made.message()
    assert message.document is not None
    document = message.document
    assert (document.file_name, document.mime_type) == ("../a b.pdf", "application/pdf")
    file = await made.bot.get_file(document.file_id)
    assert file.file_path is not None
    assert file.file_path.startswith("documents/file_")
    assert await fetched(made, document.file_id) == b"%PDF-"


async def test_the_rest(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.say_sticker(ADA, "🎉")
    telegram.say_contact(ADA, "+4912345", "Bruno")
    telegram.say_location(ADA, 52.5, 13.4)
    telegram.say_poll(ADA, "Tea?", ["yes", "no"])
    messages = [update.message for update in await made.updates()]
    kinds = [message and message.content_type for message in messages]
    assert kinds == ["sticker", "contact", "location", "poll"]
    asked = messages[-1]
    assert asked is not None
    assert asked.poll is not None
    poll = asked.poll
    assert [option.text for option in poll.options] == ["yes", "no"]


@pytest.mark.parametrize(
    ("file_id", "complaint"),
    [("", "file_id not specified"), ("AgAD", "wrong file_id or the file is temporarily")],
)
async def test_files_that_are_not_there(made: StandInBot, file_id: str, complaint: str) -> None:
    assert complaint in await made.refusal("getFile", file_id=file_id)
    for token, status in ((TOKEN, 404), ("4242:another", 401)):
        async with made.http.get(f"{made.telegram.url}/file/bot{token}/photos/1.jpg") as answer:
            assert answer.status == status


async def test_too_big_to_fetch(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.say_document(ADA, bytes(20 * 1024 * 1024 + 1))
    document = (await made.message()).document
    assert document is not None
    with pytest.raises(TelegramBadRequest, match="Bad Request: file is too big"):
        await made.bot.get_file(document.file_id)


@pytest.mark.parametrize("cut", [*range(1, 25)])
def test_a_picture_cut_short_has_no_size(cut: int) -> None:
    assert picture_size(JPEG) == (600, 300)
    assert picture_size(JPEG[:cut]) is None
    assert picture_size(PHOTO[: min(cut, 23)]) is None
    assert picture_size(b"GIF89a" + bytes(cut)) is None
