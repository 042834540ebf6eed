"""A reply that is begun anew does not begin anew with the files, and an edit keeps them."""

from collections.abc import Callable

import pytest

from bot.standins.faults import Call
from bot.standins.method_names import DOWNLOAD
from bot.standins.pictures import blank_png
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.gates import Gate
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_found, until_settled

ADA = 501
FOR_EVER = 300
SUPERSEDED = "SELECT number FROM runs WHERE state = 'superseded'"


def photo(people: TelegramStandIn) -> int:
    return people.say_photo(ADA, blank_png(40, 30), "Look")


def voice(people: TelegramStandIn) -> int:
    return people.say_voice(ADA, caption="Listen")


def document(people: TelegramStandIn) -> int:
    return people.say_document(ADA, b"words", "a.txt", "text/plain", "Read")


async def assert_answered_once(around: Neighbours, db: Database, downloads: int = 1) -> None:
    await around.telegram.wait_for_reply(ADA)
    await until_settled(around.database_url)
    assert len(around.seen_by(ADA)) == 1
    assert around.model.counts["answered"] == 1
    assert around.telegram.call_counts[DOWNLOAD] == downloads
    await assert_guarantees(db)


@pytest.mark.parametrize("send", [photo, voice, document])
async def test_what_was_read_is_not_fetched_again(
    around: Neighbours, db: Database, send: Callable[[TelegramStandIn], int]
) -> None:
    around.model.delay = FOR_EVER
    async with running_bot(around.settings(transcription_model="whisper-1")):
        send(around.telegram)
        await around.model.wait_for_calls(1)
        around.model.delay = 0
        around.telegram.say(ADA, "Well?")
        await assert_answered_once(around, db)
    assert around.model.counts["cancelled"] == 1
    assert len(around.model.hearing.recordings) == (send is voice)


async def test_a_download_under_way_goes_on(around: Neighbours, db: Database) -> None:
    gate = Gate()

    async def hook(call: Call) -> None:
        if call.method == DOWNLOAD:
            await gate.pass_through()

    around.telegram.hook = hook
    async with running_bot(around.settings()):
        photo(around.telegram)
        await gate.arrival()
        around.telegram.say(ADA, "Well?")
        await until_found(around.database_url, SUPERSEDED)
        gate.open()
        await assert_answered_once(around, db)
    assert around.model.counts["begun"] == 1
    assert "40x30" in around.seen_by(ADA)[0].text


async def test_a_caption_that_is_edited_while_the_photo_waits(
    around: Neighbours, db: Database
) -> None:
    around.model.delay = FOR_EVER
    async with running_bot(around.settings()):
        number = photo(around.telegram)
        await around.model.wait_for_calls(1)
        around.model.delay = 0
        around.telegram.edit(ADA, number, "Look closely")
        await assert_answered_once(around, db)
    words, _picture = around.model.calls[-1].messages[-1]["content"]
    assert words["text"] == "[sent a photo] Look closely"
    assert "40x30" in around.seen_by(ADA)[0].text
