"""A part that is refused for its formatting makes room for plainer ones; nothing is lost."""

import pytest

from coordination.ports import Delivered, Unconfirmed, Unformatted
from storage.database import Database
from storage.records import Format, Released
from tests.support.acts import take
from tests.support.one_process import OneProcess
from tests.support.replies import (
    assert_finished,
    committed,
    deliver,
    found_in_sending,
    states,
)

UNREADABLE = Unformatted("can't parse")
PARTS = "SELECT part, text, format, attempts FROM outbox ORDER BY part"
EVENTS = "SELECT type, payload FROM events WHERE run IS NOT NULL ORDER BY version"


async def formats(db: Database) -> list[tuple[int, str, str]]:
    return [(row.part, row.text, row.format) for row in await db.fetch(PARTS, {})]


async def test_g7_what_was_sent_stays_and_the_rest_is_cut_anew(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one", "two three", "four", how="rich")
    process.courier.script = [Delivered(901), UNREADABLE]
    assert await deliver(process, taken) == Released(None)
    assert process.courier.sent == ["one", "two three", "two", "three", "four"]
    assert process.courier.formats == ["rich", "rich", "entities", "entities", "entities"]
    assert await formats(db) == [
        (1, "one", "rich"),
        (2, "two", "entities"),
        (3, "three", "entities"),
        (4, "four", "entities"),
    ]
    assert await states(db) == ["sent"] * 4
    await assert_finished(db, "sent")


async def test_g11_the_log_tells_what_was_cut_anew(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.courier.script = [UNREADABLE]
    await deliver(process, await committed(process, "one two", how="rich"))
    events = [(row.type, row.payload) for row in await db.fetch(EVENTS, {})]
    assert ("parts_recut", {"part": 1, "format": "entities", "parts": 2}) in events


async def test_the_plainer_parts_may_be_fewer(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.courier.script = [UNREADABLE]
    await deliver(process, await committed(process, "one", " ", "two", how="entities"))
    assert await formats(db) == [(1, "one", "plain"), (2, "two", "plain")]
    await assert_finished(db, "sent")


async def test_g10_when_plain_text_is_refused_too_the_run_ends(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.courier.script = [UNREADABLE, UNREADABLE, UNREADABLE]
    assert await deliver(process, await committed(process, "one", how="rich")) == Released(None)
    assert process.courier.formats == ["rich", "entities", "plain"]
    assert await states(db) == ["refused"]
    await assert_finished(db, "undeliverable")


@pytest.mark.parametrize("how", ["rich", "entities"])
async def test_g7_a_part_found_in_sending_is_tried_as_it_was(db: Database, how: Format) -> None:
    process = OneProcess(db, "ada")
    taken = await found_in_sending(process, "one", how=how)
    process.courier.script = [UNREADABLE]
    assert await deliver(process, taken) == Released(None)
    assert process.courier.formats[0] == how
    assert process.courier.sent == ["one", "one"]
    await assert_finished(db, "sent")


async def test_a_part_of_unknown_fate_is_not_cut_anew(db: Database) -> None:
    process = OneProcess(db, "ada")
    process.courier.script = [Unconfirmed("no answer")]
    await deliver(process, await committed(process, "one", how="rich"))
    assert process.courier.formats == ["rich"]
    assert await states(db) == ["unconfirmed"]


async def test_g3_a_lease_lost_on_the_way_cuts_nothing(db: Database) -> None:
    process = OneProcess(db, "ada")
    taken = await committed(process, "one two", how="rich")

    async def another_takes() -> None:
        assert await take(db, "bob", at=0)

    process.courier.meanwhile = another_takes
    process.courier.script = [UNREADABLE]
    assert await deliver(process, taken) is None
    assert await formats(db) == [(1, "one two", "rich")]
    assert await states(db) == ["sending"]
