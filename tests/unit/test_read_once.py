"""How long a file that was read is remembered."""

import asyncio

import pytest

from bot.attachments import once
from bot.attachments.once import ReadOnce
from coordination.ports import Readable
from storage.records import Attachment
from tests.support.edges import ScriptedAttachments
from tests.support.gates import Gate

ONE, TWO, GONE = (Attachment("document", name) for name in ("one", "two", "gone"))


def scripted() -> ScriptedAttachments:
    attachments = ScriptedAttachments()
    attachments.files = {"one": Readable("1"), "two": Readable("2")}
    return attachments


async def test_what_failed_is_tried_anew_and_the_rest_is_not() -> None:
    attachments = scripted()
    reading = ReadOnce(attachments)
    for _ in range(2):
        assert await reading.read(ONE) == Readable("1")
        await reading.read(GONE)
    assert attachments.asked == ["one", "gone", "gone"]


async def test_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "MOST_KEPT", 1)
    attachments = scripted()
    reading = ReadOnce(attachments)
    for each in (ONE, TWO, TWO, ONE):
        await reading.read(each)
    assert attachments.asked == ["one", "two", "one"]


async def test_closing_stops_what_nobody_waits_for() -> None:
    attachments, gate = scripted(), Gate()
    attachments.meanwhile = gate.pass_through
    reading = ReadOnce(attachments)
    asking = asyncio.create_task(reading.read(ONE))
    await gate.arrival()
    asking.cancel()
    await asyncio.wait({asking})
    await reading.aclose()
    assert asyncio.all_tasks() == {asyncio.current_task()}
