"""Edits: of what waits, of what is answered, too early, twice."""

from dataclasses import replace
from datetime import timedelta

import pytest

from storage import edits
from storage.database import Database
from storage.prune import LEAST, prune
from storage.records import Counted, InboundMessage
from tests.support.acts import ADA, CAP, QUIET, after, burst_of, commit, must_take, say
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess

MESSAGES = "SELECT text, revision FROM messages JOIN conversations USING (chat_id, thread_id)"
EARLY = "SELECT message_id FROM early_edits"
EDITS = "SELECT count(*) AS n FROM events WHERE type = 'edited'"


def edited(message_id: int, text: str, *, at: float) -> InboundMessage:
    return InboundMessage(ADA, message_id, text, edited_at=after(at))


async def edit(db: Database, message: InboundMessage, *, at: float) -> Counted | None:
    return await edits.edit(db, message, quiet=QUIET, cap=CAP, now=after(at))


async def words(db: Database) -> list[str]:
    return [row.text for row in await db.fetch(f"{MESSAGES} ORDER BY seq", {})]


async def told(db: Database) -> int:
    return int((await db.fetch(EDITS, {}))[0].n)


async def test_an_edit_of_a_waiting_message_changes_it_and_moves_the_window(db: Database) -> None:
    await say(db, 1, at=0)
    corrected = await edit(db, edited(1, "corrected", at=1), at=1)
    assert corrected
    assert (corrected.inbound_seq, corrected.due_in, corrected.revision) == (1, 2.0, 1)
    assert await words(db) == ["corrected"]
    await assert_guarantees(db)


async def test_an_edit_never_moves_the_window_past_its_cap(db: Database) -> None:
    await say(db, 1, at=0)
    for second in range(1, 10):
        await edit(db, edited(1, f"{second}", at=second), at=second)
    last = await edit(db, edited(1, "9.5", at=9.5), at=9.5)
    assert last
    assert last.due_in == pytest.approx(0.5)


@pytest.mark.parametrize("text", ["corrected", "text 1"])
async def test_the_same_edit_again_changes_nothing(db: Database, text: str) -> None:
    await say(db, 1, at=0)
    await edit(db, edited(1, text, at=1), at=1)
    assert await edit(db, edited(1, text, at=1), at=1.5) is None
    assert await told(db) == (1 if text == "corrected" else 0)


async def test_of_two_edits_the_newer_counts_in_whatever_order_they_come(db: Database) -> None:
    await say(db, 1, at=0)
    await edit(db, edited(1, "second", at=2), at=2)
    assert await edit(db, edited(1, "first", at=1), at=3) is None
    assert await words(db) == ["second"]


async def test_an_edit_back_to_the_first_words_outdates_the_one_before_it(db: Database) -> None:
    await say(db, 1, at=0)
    assert await edit(db, edited(1, "text 1", at=2), at=2) is None
    assert await edit(db, edited(1, "other words", at=1), at=3) is None
    assert await words(db) == ["text 1"]
    assert await told(db) == 0
    await assert_guarantees(db)


async def test_of_two_edits_in_one_second_the_later_to_come_counts(db: Database) -> None:
    await say(db, 1, at=0)
    await edit(db, edited(1, "first", at=1), at=1)
    assert await edit(db, edited(1, "second", at=1), at=1.5)
    assert await words(db) == ["second"]


async def test_an_edit_may_come_before_its_message(db: Database) -> None:
    assert await edit(db, edited(1, "second", at=2), at=0) is None
    assert await edit(db, edited(1, "first", at=1), at=0) is None
    await say(db, 1, at=3)
    assert await words(db) == ["second"]
    assert await edit(db, edited(1, "first", at=1), at=4) is None
    assert await words(db) == ["second"]
    await assert_guarantees(db)


async def test_an_early_edit_goes_once_its_message_has_come(db: Database) -> None:
    await edit(db, edited(1, "corrected", at=1), at=1)
    await edit(db, edited(2, "of another", at=1), at=1)
    await say(db, 1, at=3)
    assert [row.message_id for row in await db.fetch(EARLY, {})] == [2]
    await say(db, 1, at=4)
    assert await words(db) == ["corrected"]


async def test_an_early_edit_whose_message_never_came_is_pruned(db: Database) -> None:
    await edit(db, edited(1, "old", at=0), at=0)
    await edit(db, edited(2, "young", at=9), at=9)
    removed = await prune(db, older_than=LEAST, now=after(5) + LEAST)
    assert removed.early_edits == 1
    assert [row.message_id for row in await db.fetch(EARLY, {})] == [2]


async def test_a_run_that_read_the_old_words_cannot_commit(db: Database) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=3)
    await edit(db, edited(1, "corrected", at=4), at=4)
    assert not await commit(db, taken, at=5)
    again = await must_take(db, "bob", at=40)
    assert burst_of(again).revision == 1
    assert await commit(db, again, at=41)
    await assert_guarantees(db)


async def test_a_final_run_is_not_dropped_for_an_edit(db: Database) -> None:
    """G5: who never stops correcting is answered all the same."""
    await say(db, 1, at=0)
    taken = await must_take(db, "ada", at=3)
    await edit(db, edited(1, "corrected", at=4), at=4)
    taken = replace(taken, work=replace(burst_of(taken), final_at=after(5)))
    assert await commit(db, taken, at=6)


async def test_an_edit_of_an_answered_message_corrects_the_history_only(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    await process.answers("reply")
    await process.receiver.correct(
        InboundMessage(ADA, 1, "corrected", edited_at=after(0) - timedelta(days=1))
    )
    assert await words(db) == ["corrected"]
    assert (await db.fetch(MESSAGES, {}))[0].revision == 0
    await process.answerer.answer(ADA)
    await process.hear(2)
    async with process.answering() as call:
        assert [turn.text for turn in call.turns] == ["corrected", "reply", "text 2"]
        call.answer("reply 2")
    await assert_guarantees(db)


async def test_an_edit_stops_the_run_that_read_the_old_words(db: Database) -> None:
    process = OneProcess(db, "ada")
    await process.hear(1)
    async with process.answering() as call:
        await process.receiver.correct(InboundMessage(ADA, 1, "corrected", edited_at=after(0)))
    assert call.was_cancelled
    async with process.answering() as call:
        assert call.asks == "corrected"
        call.answer("reply")
    assert process.courier.sent == ["reply"]
    await assert_guarantees(db)


async def test_an_edit_that_another_process_received_is_noticed_by_the_heartbeat(
    db: Database,
) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        await other.receiver.correct(InboundMessage(ADA, 1, "corrected", edited_at=after(0)))
        await process.keeper.beat()
    assert call.was_cancelled
    await assert_guarantees(db)
