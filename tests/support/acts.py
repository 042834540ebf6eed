"""The verbs by the rules of the tests: seconds after noon, one conversation unless told."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from storage import deliveries, leases, messages, outbox, runs, taking
from storage.database import Database
from storage.records import (
    Burst,
    ConversationKey,
    Counted,
    InboundMessage,
    Lease,
    Released,
    Renewed,
    Run,
    Taken,
    Version,
)

QUIET, CAP = timedelta(seconds=2), timedelta(seconds=10)
TTL = timedelta(seconds=30)
MAX_SUPERSEDES, MAX_WAIT = 2, timedelta(seconds=60)

# Later than any real clock, which an expiry asks how long PostgreSQL has been up.
NOON = datetime(2100, 1, 1, 12, tzinfo=UTC)
TICK = 1e-6

VERSION = """
SELECT version FROM runs
WHERE chat_id = :chat_id AND thread_id = :thread_id AND number = :run
"""

ADA = ConversationKey(501, 0)
BOB = ConversationKey(502, 0)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


async def say(
    db: Database, *message_ids: int, at: float, keys: Sequence[ConversationKey] = (ADA,)
) -> list[Counted]:
    """Messages of these ids come into each of the chats, by one statement."""
    inbound = [
        InboundMessage(key, number, f"text {number}") for key in keys for number in message_ids
    ]
    return await messages.receive(db, inbound, quiet=QUIET, cap=CAP, now=after(at))


async def take(db: Database, holder: str, *, at: float, key: ConversationKey = ADA) -> Taken | None:
    return await taking.take_lease(
        db,
        key,
        holder=holder,
        ttl=TTL,
        max_supersedes=MAX_SUPERSEDES,
        max_wait=MAX_WAIT,
        now=after(at),
    )


async def must_take(db: Database, holder: str, *, at: float, key: ConversationKey = ADA) -> Taken:
    taken = await take(db, holder, at=at, key=key)
    assert taken
    return taken


async def commit(
    db: Database, taken: Taken, *, at: float, parts: Sequence[str] = ("one", "two")
) -> Run | None:
    return await runs.commit_reply(
        db, taken.lease, burst_of(taken), reply="\n".join(parts), parts=parts, now=after(at)
    )


def burst_of(taken: Taken) -> Burst:
    assert isinstance(taken.work, Burst)
    return taken.work


async def deliver(db: Database, taken: Taken, *, at: float) -> None:
    """Every part of the reply goes out."""
    lease, run = taken.lease, taken.work.run
    for part in await outbox.open_parts(db, lease, run):
        assert await outbox.start_part(db, lease, run, part.number, now=after(at))
        assert await outbox.record_part(
            db, lease, run, part.number, state="sent", message_id=900, now=after(at)
        )


async def finish(db: Database, taken: Taken, *, at: float) -> Released | None:
    return await deliveries.finish(db, taken.lease, await as_it_stands(db, taken), now=after(at))


async def as_it_stands(db: Database, taken: Taken) -> Run:
    """The run as whoever heard of its last change knows it: at its newest version."""
    number = taken.work.run.number
    [row] = await db.fetch(VERSION, {**taken.lease.key._asdict(), "run": number})
    return Run(number, Version(row.version))


async def renew(db: Database, held: Sequence[Lease], *, at: float) -> list[Renewed]:
    return await leases.renew_leases(db, held, holder=held[0].holder, ttl=TTL, now=after(at))
