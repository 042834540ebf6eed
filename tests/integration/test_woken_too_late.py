"""G7: what a process leaves of a part when it finds out, before sending it, that it is too late."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from bot.rich.cutting import cut
from coordination.deliver import Deliverer
from coordination.lease_keeper import HeldLease
from coordination.ports import Delivery, Show
from storage import leases, messages, outbox, runs, taking
from storage.database import Database
from storage.records import Burst, ConversationKey, Format, InboundMessage, Taken
from tests.support.acts import ADA
from tests.support.neighbours import Neighbours
from tests.support.waiting import opened

TTL = timedelta(seconds=60)
STATE = "SELECT state FROM outbox"


class NobodySends:
    """A courier that must not be asked."""

    best_format: Format = "plain"

    async def send(
        self, key: ConversationKey, text: str, how: Format, may_go: Callable[[], bool]
    ) -> Delivery:
        raise AssertionError(f"{text} ({how}) to {key}, {may_go()}")

    def composing(self, key: ConversationKey) -> AbstractContextManager[Show]:
        raise AssertionError(key)


async def take(db: Database, holder: str, now: datetime) -> Taken:
    taken = await taking.take_lease(
        db, ADA, holder=holder, ttl=TTL, max_supersedes=2, max_wait=TTL, now=now
    )
    assert taken
    return taken


async def commit_and_die(db: Database, *, began_to_send: bool) -> None:
    """A process dies an hour ago, with a reply in the outbox that it may have begun to send."""
    then = datetime.now(UTC) - timedelta(hours=1)
    message = InboundMessage(ADA, 1, "hello")
    await messages.receive(db, [message], quiet=timedelta(0), cap=timedelta(0), now=then)
    taken = await take(db, "the dead", then)
    assert isinstance(taken.work, Burst)
    await runs.commit_reply(db, taken.lease, taken.work, reply="hi", parts=["hi"], now=then)
    if began_to_send:
        assert await outbox.start_part(db, taken.lease, taken.work.run, 1, now=then)
    await leases.free_leases_of(db, ["the dead"])


@pytest.mark.parametrize(
    ("began_to_send", "left"), [(True, "sending"), (False, "pending")], ids=["begun", "not begun"]
)
async def test_g7_a_part_that_may_be_out_is_not_taken_for_one_that_is_not(
    around: Neighbours, began_to_send: bool, left: str
) -> None:
    rules = around.settings().rules()
    async with opened(around.database_url) as db:
        await commit_and_die(db, began_to_send=began_to_send)
        taken = await take(db, "the late", datetime.now(UTC))
        held = HeldLease(taken, valid_until=monotonic() - 1)
        deliverer = Deliverer(db, rules, NobodySends(), cut=cut)
        assert await deliverer.deliver(held, taken.work.run) is None
        [part] = await db.fetch(STATE, {})
        assert part.state == left
