"""A reply in the outbox, its delivery, and what became of it."""

from storage import leases, outbox, runs
from storage.database import Database
from storage.records import CommittedReply, Format, Released, Taken
from tests.support.acts import burst_of
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess

PARTS = "SELECT state FROM outbox ORDER BY part"
RUN = "SELECT state, reason, ended_at IS NOT NULL AS is_over FROM runs ORDER BY number LIMIT 1"
CONVERSATION = """
SELECT answered_seq, lease_holder,
    CAST(EXTRACT(EPOCH FROM deliver_after - clock_timestamp()) AS float) AS due_in
FROM conversations
"""


async def committed(process: OneProcess, *parts: str, how: Format = "plain") -> Taken:
    """A reply in the outbox, and the lease."""
    await process.hear(1)
    taken = await process.take()
    run = await runs.commit_reply(
        process.db, taken.lease, burst_of(taken), reply="\n".join(parts), parts=parts, how=how
    )
    assert run
    return Taken(taken.lease, CommittedReply(run))


async def found_in_sending(process: OneProcess, *parts: str, how: Format = "plain") -> Taken:
    """A reply whose first part was going out when its process died."""
    taken = await committed(process, *parts, how=how)
    assert await outbox.start_part(process.db, taken.lease, taken.work.run, 1)
    await leases.free_leases_of(process.db, [taken.lease.holder])
    return await process.take()


async def deliver(process: OneProcess, taken: Taken, *, seconds_ago: float = 0) -> Released | None:
    with process.holding(taken, seconds_ago=seconds_ago) as held:
        return await process.deliverer.deliver(held, taken.work.run)


async def states(db: Database) -> list[str]:
    return [row.state for row in await db.fetch(PARTS, {})]


async def assert_finished(db: Database, state: str) -> None:
    [run] = await db.fetch(RUN, {})
    [conversation] = await db.fetch(CONVERSATION, {})
    assert (run.state, run.is_over) == (state, True)
    assert (conversation.answered_seq, conversation.lease_holder) == (1, None)
    await assert_guarantees(db)


async def assert_postponed(db: Database, at_least: float, at_most: float) -> None:
    [run] = await db.fetch(RUN, {})
    [conversation] = await db.fetch(CONVERSATION, {})
    assert run.state == "committed"
    assert (conversation.answered_seq, conversation.lease_holder) == (0, None)
    assert at_least - 5 < conversation.due_in <= at_most
    await assert_guarantees(db)
