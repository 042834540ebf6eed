"""What came with the messages of a burst reaches the model, and its words are kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from coordination.history import MOST_HEARD
from coordination.ports import Contents, Readable
from coordination.reading import MOST_PICTURES
from llm.contract import ForGood, Image, Turn
from llm.prompt import UNSEEN
from storage.attachments import keep_heard
from storage.database import Database
from storage.messages import messages_between
from storage.records import Attachment, InboundMessage, StoredMessage
from tests.support.acts import ADA, NOON
from tests.support.ends import run_states
from tests.support.one_process import OneProcess

LETTER = Attachment("document", "letter", 5, "text/plain", "a.txt")
TURTLE = Image("image/jpeg", b"turtle")


def photo(name: str) -> Attachment:
    return Attachment("photo", name, 5, "image/jpeg")


async def sends(process: OneProcess, number: int, text: str, attachment: Attachment) -> None:
    await process.receiver.receive(InboundMessage(ADA, number, text, (attachment,)))


async def corrects(process: OneProcess, attachment: Attachment, *, at: datetime) -> None:
    message = InboundMessage(ADA, 1, "[sent a document]", (attachment,), edited_at=at)
    await process.receiver.correct(message)


async def asked(process: OneProcess) -> Sequence[Turn]:
    """What the model is asked in a run that it answers."""
    async with process.answering() as call:
        call.answer("reply")
    return call.turns


async def stored(db: Database) -> list[StoredMessage]:
    return await messages_between(db, ADA, after_seq=0, last_seq=99)


async def test_words_and_pictures_of_a_burst_are_one_turn(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"letter": Readable("It reads: hi"), "turtle": TURTLE}
    await sends(process, 1, "[sent a document]", LETTER)
    await sends(process, 2, "[sent a photo]", photo("turtle"))
    await process.hear(3)
    text = "[sent a document]\nIt reads: hi\n[sent a photo]\ntext 3"
    assert await asked(process) == [Turn("user", text, images=(TURTLE,))]


async def test_in_the_history_words_stay_and_pictures_do_not(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"letter": Readable("It reads: hi"), "turtle": TURTLE}
    await sends(process, 1, "[sent a document]", LETTER)
    await sends(process, 2, "[sent a photo]", photo("turtle"))
    await asked(process)
    await process.hear(3)
    assert await asked(process) == [
        Turn("user", "[sent a document]\nIt reads: hi\n[sent a photo]"),
        Turn("assistant", "reply"),
        Turn("user", "text 3"),
    ]
    assert process.attachments.asked == ["letter", "turtle"]


async def test_of_a_long_text_the_history_has_the_beginning(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"letter": Readable("x" * 20_000)}
    await sends(process, 1, "[sent a document]", LETTER)
    [whole] = await asked(process)
    assert whole.text.endswith("x" * 20_000)
    await process.hear(2)
    earlier = (await asked(process))[0].text
    assert "x" * MOST_HEARD in earlier
    assert "x" * (MOST_HEARD + 1) not in earlier


async def test_a_superseded_run_has_read_and_the_next_one_does_not_fetch_again(
    db: Database,
) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"letter": Readable("It reads: hi")}
    await sends(process, 1, "[sent a document]", LETTER)
    async with process.answering():
        await process.hear(2)
    [turn] = await asked(process)
    assert turn.text == "[sent a document]\nIt reads: hi\ntext 2"
    assert process.attachments.asked == ["letter"]
    assert await run_states(db) == ["superseded", "sent"]


@pytest.mark.parametrize("contents", [None, Readable("nul \0")], ids=["unreadable", "unstorable"])
async def test_what_cannot_be_read_fails_no_run(db: Database, contents: Contents | None) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"letter": contents} if contents else {}
    await sends(process, 1, "[sent a document]", LETTER)
    [turn] = await asked(process)
    read = "nul \ufffd" if contents else "[it could not be read]"
    assert turn.text == f"[sent a document]\n{read}"
    assert [message.heard for message in await stored(db)] == [read if contents else None]


async def test_pictures_have_a_limit(db: Database) -> None:
    process = OneProcess(db, "ada")
    names = [f"{number}" for number in range(MOST_PICTURES + 2)]
    process.attachments.files = dict.fromkeys(names, TURTLE)
    for number, name in enumerate(names):
        await sends(process, number, "[sent a photo]", photo(name))
    [turn] = await asked(process)
    assert len(turn.images) == MOST_PICTURES
    assert turn.text.count("not this one") == 2
    assert process.attachments.asked == names[:MOST_PICTURES]


async def test_a_model_that_refuses_pictures_is_asked_without_them(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.attachments.files = {"turtle": TURTLE}
    await sends(process, 1, "[sent a photo]", photo("turtle"))
    async with process.answering() as call:
        call.fail(ForGood("HTTP 400"))
        then = await process.writer.next_call()
        assert then.turns == [Turn("user", f"[sent a photo]\n{UNSEEN}")]
        then.answer("What is in it?")
    assert process.courier.sent == ["What is in it?"]


async def test_words_of_a_file_that_an_edit_replaced_are_not_kept(db: Database) -> None:
    process = OneProcess(db, "ada")
    other = Attachment("document", "other", 5, "text/plain", "b.txt")
    await sends(process, 1, "[sent a document]", LETTER)
    await corrects(process, other, at=NOON)
    assert not await keep_heard(db, ADA, 1, [LETTER], "hi")
    assert await keep_heard(db, ADA, 1, [other], "ho")
    assert not await keep_heard(db, ADA, 1, [other], "ha")
    assert [message.heard for message in await stored(db)] == ["ho"]
    await corrects(process, LETTER, at=NOON + timedelta(seconds=1))
    assert [message.heard for message in await stored(db)] == [None]
