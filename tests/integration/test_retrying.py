"""/retry: a message like any other, for which nobody waits any longer."""

from datetime import timedelta

import pytest

from coordination.ports import NotNow
from storage.database import Database
from storage.records import Attachment, InboundMessage
from storage.retry import pictures_to_see_again
from tests.support.acts import ADA, CAP, QUIET
from tests.support.ends import assert_answered
from tests.support.one_process import OneProcess

RETRY = InboundMessage(ADA, 50, "again, please")


async def test_what_was_said_can_be_answered_again_until_a_reset(db: Database) -> None:
    process = OneProcess(db, "ada")
    assert await pictures_to_see_again(db, ADA) is None
    await process.hear(1)
    await process.answers("reply")
    assert await pictures_to_see_again(db, ADA) == ()
    await process.receiver.cancel(ADA, 100, reset=True)
    assert await pictures_to_see_again(db, ADA) is None


async def test_g1_a_retry_that_comes_twice_is_answered_once(db: Database) -> None:
    process = OneProcess(db, "ada", quiet=QUIET, cap=CAP)
    for _ in range(2):
        await process.receiver.receive_alone(RETRY, quiet=timedelta(0))
    assert process.alarm.seconds == [pytest.approx(0)]
    async with process.answering() as call:
        assert call.asks == RETRY.text
        call.answer("reply")
    assert process.courier.sent == ["reply"]
    await assert_answered(db, 1)


async def test_the_pictures_are_seen_again_while_the_reply_is_on_its_way(db: Database) -> None:
    process = OneProcess(db, "ada")
    photo = Attachment("photo", "p")
    await process.receiver.receive(InboundMessage(ADA, 1, "look", (photo,)))
    process.courier.script = [NotNow("too many requests", 60)]
    await process.answers("reply")
    assert await pictures_to_see_again(db, ADA) == (photo,)
    await process.receiver.receive_alone(RETRY, quiet=timedelta(0))
    assert await pictures_to_see_again(db, ADA) == ()
