"""G9: two runs want the same effect at the very moment; PostgreSQL lets one of them."""

from datetime import timedelta

import pytest

from storage import claims, effects, leases
from storage.claims import Claim
from storage.database import Database
from storage.records import Taken
from tests.support.acts import ADA, TICK, after, burst_of, must_take, say
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn, queue_for

LIMIT = timedelta(seconds=5)
EXPIRY = 32
KEY = "the-key"
CLAIMS = "SELECT holder, fence, state, result FROM effects"


async def claim(db: Database, taken: Taken, *, at: float, key: str = KEY) -> Claim | None:
    return await claims.claim_effect(
        db,
        taken.lease,
        burst_of(taken),
        key=key,
        tool="book",
        arguments="{}",
        can_be_undone=False,
        time_limit=LIMIT,
        now=after(at),
    )


async def take_over(db: Database, taken: Taken, last: Taken, *, at: float) -> bool:
    return await claims.take_over_effect(
        db,
        taken.lease,
        burst_of(taken),
        key=KEY,
        last_fence=last.lease.fence,
        time_limit=LIMIT,
        now=after(at),
    )


async def settle(db: Database, taken: Taken, result: str, *, at: float) -> bool:
    return await effects.settle_effect(
        db, taken.lease, key=KEY, state="done", result=result, outcome="done", now=after(at)
    )


async def only_claim(db: Database) -> tuple[object, ...]:
    [row] = await db.fetch(CLAIMS, {})
    return tuple(row)


@pytest.fixture
async def zombie(db: Database) -> Taken:
    """A lease that expires at 32."""
    await say(db, 1, at=0)
    return await must_take(db, "ada", at=2)


async def test_g9_the_zombie_claims_before_the_take(
    db: Database, database_url: str, zombie: Taken
) -> None:
    old, new = await in_turn(
        database_url, claim(db, zombie, at=EXPIRY - TICK), must_take(db, "bob", at=EXPIRY)
    )
    assert old == Claim(is_won=True)
    seen = await claim(db, new, at=EXPIRY)
    assert seen is not None
    assert (seen.is_won, seen.state, seen.holder) == (False, "processing", "ada")
    assert 0 < seen.expires_in < LIMIT.total_seconds()


async def test_g9_the_zombie_claims_after_the_take(
    db: Database, database_url: str, zombie: Taken
) -> None:
    new, old = await in_turn(
        database_url, must_take(db, "bob", at=EXPIRY), claim(db, zombie, at=EXPIRY)
    )
    assert old is None
    assert await db.fetch(CLAIMS, {}) == []
    assert await claim(db, new, at=EXPIRY) == Claim(is_won=True)


async def test_g9_both_claim(db: Database, database_url: str, zombie: Taken) -> None:
    successor = await must_take(db, "bob", at=EXPIRY)
    async with queue_for(database_url, ADA) as queue:
        new = await queue.joined_by(claim(db, successor, at=EXPIRY))
        assert await claim(db, zombie, at=EXPIRY) is None
    assert await new == Claim(is_won=True)
    assert await claim(db, zombie, at=EXPIRY) is None
    assert await only_claim(db) == ("bob", successor.lease.fence, "processing", None)


async def test_g9_a_claim_asked_for_twice_at_once_is_one(
    db: Database, database_url: str, zombie: Taken
) -> None:
    """The first answer was lost on the way while PostgreSQL was still at it."""
    async with queue_for(database_url, ADA) as queue:
        made = [await queue.joined_by(claim(db, zombie, at=3)) for _ in range(2)]
    assert [await each for each in made] == [Claim(is_won=True)] * 2
    assert (await only_claim(db))[0] == "ada"
    await assert_guarantees(db)


@pytest.mark.parametrize("settled_first", [True, False])
async def test_g9_the_zombie_settles_while_its_successor_takes_over(
    db: Database, database_url: str, zombie: Taken, settled_first: bool
) -> None:
    assert await claim(db, zombie, at=3)
    successor = await must_take(db, "bob", at=EXPIRY)
    verbs = [
        settle(db, zombie, "from ada", at=EXPIRY),
        take_over(db, successor, zombie, at=EXPIRY),
    ]
    async with queue_for(database_url, ADA) as queue:
        made = [await queue.joined_by(verb) for verb in (verbs if settled_first else verbs[::-1])]
    assert [await each for each in made] == [True, False]
    if settled_first:
        assert await only_claim(db) == ("ada", zombie.lease.fence, "done", "from ada")
    else:
        assert await only_claim(db) == ("bob", successor.lease.fence, "processing", None)
        assert await settle(db, successor, "from bob", at=EXPIRY + 1)
        assert not await settle(db, zombie, "from ada", at=EXPIRY + 2)
        assert (await only_claim(db))[3] == "from bob"
    await assert_guarantees(db)


async def test_g9_a_take_over_asked_for_twice_at_once_is_won_both_times(
    db: Database, database_url: str, zombie: Taken
) -> None:
    assert await claim(db, zombie, at=3)
    successor = await must_take(db, "bob", at=EXPIRY)
    async with queue_for(database_url, ADA) as queue:
        made = [
            await queue.joined_by(take_over(db, successor, zombie, at=EXPIRY)) for _ in range(2)
        ]
    assert [await each for each in made] == [True, True]
    await assert_guarantees(db)


async def test_g9_two_successors_of_one_claim(
    db: Database, database_url: str, zombie: Taken
) -> None:
    assert await claim(db, zombie, at=3)
    first = await must_take(db, "bob", at=EXPIRY)
    assert await leases.free_leases_of(db, ["bob"])
    second = await must_take(db, "cyd", at=EXPIRY)
    async with queue_for(database_url, ADA) as queue:
        right = await queue.joined_by(take_over(db, second, zombie, at=EXPIRY))
        assert not await take_over(db, first, zombie, at=EXPIRY)
    assert await right
    assert not await take_over(db, first, second, at=EXPIRY)
    assert (await only_claim(db))[0] == "cyd"


async def test_g9_who_saw_an_older_claimant_takes_over_nothing(db: Database, zombie: Taken) -> None:
    assert await claim(db, zombie, at=3)
    first = await must_take(db, "bob", at=EXPIRY)
    assert await take_over(db, first, zombie, at=EXPIRY)
    second = await must_take(db, "carol", at=2 * EXPIRY)
    assert not await take_over(db, second, zombie, at=2 * EXPIRY)
    assert await only_claim(db) == ("bob", first.lease.fence, "processing", None)
    assert await take_over(db, second, first, at=2 * EXPIRY)
