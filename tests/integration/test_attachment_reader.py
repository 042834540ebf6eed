"""Files are fetched within bounds, and no error leaves the reader."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.attachments import download, reader
from bot.attachments.reader import DEAF, FAILED, SILENT, TOO_LARGE, UNKNOWN, AttachmentReader
from bot.standins.faults import Call, DropBefore, Failure, Refuse, Stall
from bot.standins.method_names import DOWNLOAD
from bot.standins.news import HANG_SECONDS
from bot.telegram import telegram_bot
from coordination.ports import Readable, Unreadable
from llm.contract import ForGood
from storage.records import Attachment
from tests.support.neighbours import Neighbours

VOICE = Attachment("voice", "f", 5, "audio/ogg")


class Ear:
    """Hears what the test says, or fails as it says."""

    def __init__(self, heard: str | Exception) -> None:
        self._heard = heard

    async def transcribe(self, _data: bytes, _name: str) -> str:
        if isinstance(self._heard, Exception):
            raise self._heard
        return self._heard


@pytest.fixture
async def readers(around: Neighbours) -> AsyncIterator[list[AttachmentReader]]:
    """One that hears nothing, one to which nothing was said, one that fails."""
    bot = telegram_bot(around.settings())
    ears = [None, Ear(" "), Ear(ForGood("refused"))]
    made = [AttachmentReader(bot, ear) for ear in ears]
    yield made
    for each in made:
        each.close()
    await bot.session.close()


def kept(around: Neighbours, data: bytes, **said: str) -> Attachment:
    stored = around.telegram.files.keep(data, "documents", "a.txt", "text/plain")
    return Attachment("document", stored.file_id, None, said.get("mime", "text/plain"))


async def test_nothing_is_fetched_that_is_of_no_use(
    around: Neighbours, readers: list[AttachmentReader]
) -> None:
    refused = {
        Attachment("document", "f", 20_000_001, "text/plain"): TOO_LARGE,
        Attachment("document", "f", 5, "application/zip", "a.zip"): UNKNOWN,
        Attachment("video", "f", 5, "video/mp2t", "a.ts"): UNKNOWN,
        VOICE: DEAF,
    }
    assert {each: await readers[0].read(each) for each in refused} == refused
    assert around.telegram.call_counts["getFile"] == 0


async def test_a_file_that_is_larger_than_was_said(
    around: Neighbours, readers: list[AttachmentReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    attachment = kept(around, b"12345")
    assert await readers[0].read(attachment) == Readable("It reads:\n12345")
    monkeypatch.setattr(download, "LARGEST_BYTES", 4)
    assert await readers[0].read(attachment) == TOO_LARGE


@pytest.mark.parametrize("mime", ["image/png", "application/pdf", "text/plain"])
async def test_a_file_that_is_not_what_it_is_called(
    around: Neighbours, readers: list[AttachmentReader], mime: str
) -> None:
    assert await readers[0].read(kept(around, b"\0\1\2", mime=mime)) == FAILED


async def test_a_file_that_takes_too_long(
    around: Neighbours, readers: list[AttachmentReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hook(_call: Call) -> Stall:
        return Stall(300)

    around.telegram.hook = hook
    monkeypatch.setattr(reader, "SECONDS", 0.05)
    async with asyncio.timeout(HANG_SECONDS):
        assert await readers[0].read(kept(around, b"12345")) == FAILED


@pytest.mark.parametrize("method", ["getFile", DOWNLOAD])
@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([DropBefore(), Refuse(500, "Internal Server Error")], 3),
        ([Refuse(404, "Not Found")], 1),
        ([Refuse(502, "Bad Gateway")] * 3, 3),
    ],
    ids=["passing", "gone", "away"],
)
async def test_a_fetch_that_fails_is_repeated_where_that_helps(
    around: Neighbours,
    readers: list[AttachmentReader],
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    faults: list[Failure],
    calls: int,
) -> None:
    left = list(faults)

    async def hook(call: Call) -> Failure | None:
        return left.pop(0) if call.method == method and left else None

    around.telegram.hook = hook
    monkeypatch.setattr(download, "PAUSES", (0, 0))
    said = await readers[0].read(kept(around, b"12345"))
    assert around.telegram.call_counts[method] == calls
    assert said == (Readable("It reads:\n12345") if len(faults) < calls else FAILED)


@pytest.mark.parametrize(("ear", "said"), [(1, SILENT), (2, FAILED)], ids=["silence", "refusal"])
async def test_a_recording_without_words(
    around: Neighbours, readers: list[AttachmentReader], ear: int, said: Readable | Unreadable
) -> None:
    stored = kept(around, b"OggS")
    assert await readers[ear].read(Attachment("voice", stored.file_id, 4)) == said
