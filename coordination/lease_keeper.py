"""Keeps the leases of this process, and stops the work of a run that has become useless."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum, auto
from time import monotonic
from typing import Any, TypeVar

from coordination.stages import Stages
from storage import leases
from storage.database import Database
from storage.records import Burst, ConversationKey, Fence, Renewed, Seq, Taken

T = TypeVar("T")

LONGEST_BEAT_SECONDS = 1.0
"""A run learns within a beat of a message that another process received."""


class Stop(Enum):
    """Why a run has nothing more to do."""

    NEWER_MESSAGE = auto()
    LEASE_LOST = auto()
    SHUTTING_DOWN = auto()
    BY_USER = auto()


class HeldLease:
    """A lease of this process while somebody works under it."""

    def __init__(self, taken: Taken, valid_until: float) -> None:
        self.lease = taken.lease
        self._valid_until = valid_until
        self._burst = taken.work if isinstance(taken.work, Burst) else None
        self._final_from = (
            valid_until if self._burst is None else monotonic() + self._burst.final_in
        )
        self._stop: asyncio.Future[Stop] = asyncio.get_running_loop().create_future()
        self.stages = Stages()
        self.model_calls = 0
        """Requests to the model that were made under this lease."""
        self._is_lost = False
        self.is_leaving = False
        """True once the process has no time left for what can be handed over."""

    def is_surely_valid(self) -> bool:
        """False once the lease may have expired by PostgreSQL's clock, even if it was not taken."""
        return not self.is_lost() and monotonic() < self._valid_until

    def is_stopped(self) -> bool:
        """True once there is no point in working under it."""
        return self._stop.done()

    def is_lost(self) -> bool:
        """True once somebody else holds the conversation."""
        return self._is_lost

    def counter_is(self, inbound_seq: Seq, revision: int) -> None:
        """Note the counter and the edits: a run that read less is stopped, unless final (G5)."""
        burst = self._burst
        if burst is None or (inbound_seq <= burst.last_seq and revision <= burst.revision):
            return
        if monotonic() < self._final_from:
            self.stop(Stop.NEWER_MESSAGE)

    def stop(self, why: Stop) -> None:
        """Stop what runs under this lease for the first reason; a loss is noted even after it."""
        self._is_lost = self._is_lost or why is Stop.LEASE_LOST
        self.is_leaving = self.is_leaving or why is Stop.SHUTTING_DOWN
        if not self._stop.done():
            self._stop.set_result(why)

    def renewed(self, valid_until: float) -> None:
        """Note that PostgreSQL moved the expiry."""
        self._valid_until = valid_until

    async def unless_stopped(self, work: Coroutine[object, object, T]) -> T | Stop:
        """Run `work`, and cancel it at once when there is no point in it any more."""
        task = asyncio.ensure_future(work)
        try:
            either: set[asyncio.Future[Any]] = {task, self._stop}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        return self._stop.result()


class LeaseKeeper:
    """All the leases of this process, renewed by one statement a beat."""

    def __init__(self, db: Database, *, holder: str, ttl: timedelta) -> None:
        self._db = db
        self.holder = holder
        self._ttl = ttl
        self._held: dict[ConversationKey, HeldLease] = {}

    @property
    def beat_seconds(self) -> float:
        """How often `beat` wants to be called."""
        return min(self._ttl.total_seconds() / 3, LONGEST_BEAT_SECONDS)

    @contextmanager
    def holding(self, taken: Taken, asked_at: float) -> Iterator[HeldLease]:
        """Keep the lease while the block runs; `asked_at` is the monotonic time of the take."""
        held = HeldLease(taken, asked_at + self._ttl.total_seconds())
        self._held[taken.lease.key] = held
        try:
            yield held
        finally:
            del self._held[taken.lease.key]

    def counted(self, key: ConversationKey, inbound_seq: Seq, revision: int) -> None:
        """Tell the run of `key`, if this process has one, of a message or an edit."""
        if held := self._held.get(key):
            held.counter_is(inbound_seq, revision)

    async def beat(self) -> None:
        """Renew every lease; note which are lost and whose bursts grew elsewhere.

        Raises:
            Unavailable: nothing is known; leases that are not taken can still be renewed later.
        """
        holding = list(self._held.values())
        if not holding:
            return
        asked_at = monotonic()
        renewed = await leases.renew_leases(
            self._db, [held.lease for held in holding], holder=self.holder, ttl=self._ttl
        )
        found = {each.lease: each for each in renewed}
        for held in holding:
            self._note(held, found.get(held.lease), asked_at)

    def _note(self, held: HeldLease, renewed: Renewed | None, asked_at: float) -> None:
        if renewed is None:
            held.stop(Stop.LEASE_LOST)
        else:
            held.renewed(asked_at + self._ttl.total_seconds())
            held.counter_is(renewed.inbound_seq, renewed.revision)
            if renewed.is_to_stop:
                held.stop(Stop.BY_USER)

    def stop_run(self, key: ConversationKey, fence: Fence) -> None:
        """Tell the run with that fence, if this process has it, that its user has enough."""
        held = self._held.get(key)
        if held and held.lease.fence == fence:
            held.stop(Stop.BY_USER)

    def lost(self, key: ConversationKey, fence: Fence) -> None:
        """Tell the run with that fence, if this process has it, that it has nothing left to do."""
        held = self._held.get(key)
        if held and held.lease.fence == fence:
            held.stop(Stop.LEASE_LOST)

    def stop_all(self, why: Stop) -> None:
        """Stop the work under every lease."""
        for held in self._held.values():
            held.stop(why)
