"""The read models: each event counts once, whoever folds it and however often it is tried."""

import asyncio

import pytest

from coordination.project import COMPARE_SECONDS, Projector, rebuild
from storage import projections
from storage.database import Database, Unavailable
from storage.records import ConversationKey
from tests.support.acts import ADA, BOB
from tests.support.past import Past
from tests.support.queues import held, queue_behind
from tests.support.tallied import Tallied, fold_everything, tallied
from tests.support.waiting import opened

DAY = "2100-01-01"
CHECKPOINT = "SELECT FROM projected WHERE chat_id = $1 FOR UPDATE"
VERSIONS = """
SELECT c.event_version, p.version FROM conversations c JOIN projected p USING (chat_id, thread_id)
"""
A_DAY = 86_400


async def mixed(db: Database, key: ConversationKey = ADA) -> Past:
    """Ends of every kind, on two days; the last burst waits."""
    past = Past(db, key)
    await past.answered(1, 2, at=0)
    await past.superseded(3, 4, at=10)
    await past.answered(5, at=14)
    await past.answered(6, at=30, failure="context too long")
    await past.unreachable(7, at=A_DAY)
    await past.postponed(8, at=A_DAY + 10)
    return past


def of(found: Tallied, kind: str, day: str = DAY, chat_id: int = ADA.chat_id) -> dict[str, int]:
    return {
        label: amount
        for (chat, _, on, this, label), amount in found.items()
        if (chat, on, this) == (chat_id, day, kind)
    }


async def test_what_is_counted(db: Database) -> None:
    await mixed(db)
    past = Past(db, BOB)
    await past.say(1, at=0)
    await past.tell("run_superseded", {"tokens_in": 40, "tokens_out": 2}, at=5)
    await past.tell("run_sent", {"answered_seq": 1, "messages": 0, "waited_ms": None}, at=5)
    await fold_everything(db)
    found = await tallied(db)
    assert of(found, "usage") == {
        "messages": 6,
        "bursts": 3,
        "replies": 2,
        "model_calls": 3,
        "tokens_in": 150,
        "tokens_out": 21,
    }
    assert of(found, "reply_time") == {"5": 1, "8": 1, "total_ms": 12_000}
    assert of(found, "failure") == {"run_failed: context too long": 1}
    assert of(found, "failure", "2100-01-02") == {
        "run_undeliverable: Forbidden: bot was blocked": 1,
        "run_postponed: HTTP 503": 1,
    }
    assert of(found, "usage", chat_id=BOB.chat_id) == {
        "messages": 1,
        "replies": 1,
        "tokens_superseded": 42,
    }


async def test_folding_again_changes_nothing(db: Database) -> None:
    await mixed(db)
    await fold_everything(db)
    before = await tallied(db)
    assert [each.events for each in await projections.fold(db, [ADA])] == [0]
    assert await tallied(db) == before


@pytest.mark.parametrize("most", [1, 2, 7])
async def test_the_size_of_a_batch_makes_no_difference(db: Database, most: int) -> None:
    await mixed(db)
    await fold_everything(db, most=most)
    piecemeal = await tallied(db)
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == piecemeal
    [row] = await db.fetch(VERSIONS, {})
    assert row.event_version == row.version


async def test_two_fold_the_same_and_one_passes_over_it(db: Database, database_url: str) -> None:
    await mixed(db)
    await mixed(db, BOB)
    await projections.fold(db, [ADA, BOB])  # which begins their checkpoints
    async with held(database_url, CHECKPOINT, ADA.chat_id):
        folded = await projections.fold(db, [ADA, BOB])
    assert [each.key for each in folded] == [BOB]


async def test_many_at_once_count_each_event_once(db: Database, database_url: str) -> None:
    for chat in range(601, 606):
        await mixed(db, ConversationKey(chat, 0))
    async with opened(database_url) as other:
        await asyncio.gather(*(Projector(each).project() for each in (db, other, db, other)))
        await Projector(db).project()
    at_once = await tallied(db)
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == at_once


async def test_a_projector_finds_what_a_dead_process_left(db: Database) -> None:
    await mixed(db)
    await Projector(db).project()
    assert not await projections.behind(db, most=1)


async def test_between_its_comparisons_it_follows_hints(db: Database) -> None:
    now = 0.0
    projector = Projector(db, clock=lambda: now)
    await projector.project()
    await mixed(db)
    await projector.project()
    assert await projections.behind(db, most=1) == [ADA]

    async def answer(_key: ConversationKey) -> None:
        pass

    await projector.noting(answer)(ADA)
    await projector.project()
    assert not await projections.behind(db, most=1)
    await Past(db).say(99, at=2 * A_DAY)
    now += COMPARE_SECONDS
    await projector.project()
    assert not await projections.behind(db, most=1)


async def test_a_hint_outlives_a_database_that_is_away(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(db, clock=lambda: 0.0)
    await projector.project()
    await mixed(db)
    projector.note(ADA)

    async def away(*_: object, **__: object) -> list[projections.Folded]:
        raise Unavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(projections, "fold", away)
        with pytest.raises(Unavailable):
            await projector.project()
    await projector.project()
    assert not await projections.behind(db, most=1)


async def test_what_others_hold_is_tried_again(db: Database, database_url: str) -> None:
    await mixed(db)
    projector = Projector(db, clock=lambda: 0.0)
    await projector.project()
    await Past(db).say(99, at=2 * A_DAY)
    projector.note(ADA)
    async with held(database_url, CHECKPOINT, ADA.chat_id):
        await projector.project()
    await projector.project()
    assert not await projections.behind(db, most=1)


async def test_rebuilding_gives_the_same(db: Database) -> None:
    await mixed(db)
    await mixed(db, BOB)
    await fold_everything(db)
    before = await tallied(db)
    said: list[tuple[int, int]] = []
    await rebuild(db, lambda conversations, events: said.append((conversations, events)))
    assert await tallied(db) == before
    [row] = await db.fetch("SELECT count(*) AS events FROM events", {})
    assert said == [(2, row.events)]


async def test_rebuilding_mends_what_is_wrong(db: Database) -> None:
    await mixed(db)
    await fold_everything(db)
    before = await tallied(db)
    await db.fetch("UPDATE tallies SET amount = amount + 3 RETURNING amount", {})
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == before


async def test_bots_go_on_while_it_is_rebuilt(db: Database, database_url: str) -> None:
    """New events come in and a projector folds them between the steps of the rebuilding."""
    keys = [ConversationKey(chat, 0) for chat in range(601, 604)]
    pasts = [await mixed(db, key) for key in keys]
    await fold_everything(db)
    async with opened(database_url) as bots:
        projector = Projector(bots)

        async def live() -> None:
            for turn in range(10):
                for past in pasts:
                    await past.say(100 + turn, at=3 * A_DAY + turn)
                    projector.note(past.key)
                await projector.project()

        async def rebuild_often() -> None:
            for _ in range(10):
                await rebuild(db, lambda _conversations, _events: None)

        await asyncio.gather(live(), rebuild_often())
    await fold_everything(db)
    beside = await tallied(db)
    assert of(beside, "usage", "2100-01-04", 601) == {"messages": 10}
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == beside


async def test_a_tally_that_is_new_while_rebuilding_waits_is_forgotten_too(
    db: Database, database_url: str
) -> None:
    past = await mixed(db)
    await fold_everything(db)
    await past.say(99, at=5 * A_DAY)
    lock = "SELECT FROM tallies WHERE kind = 'usage' AND label = 'messages' FOR UPDATE"
    async with opened(database_url) as other, queue_behind(database_url, lock) as queue:
        await past.say(100, at=0)
        folding = await queue.joined_by(projections.fold(other, [ADA]))
        forgetting = await queue.joined_by(projections.forget(db, [ADA]))
    await asyncio.gather(folding, forgetting)
    await fold_everything(db)
    found = await tallied(db)
    assert of(found, "usage", "2100-01-06") == {"messages": 1}
