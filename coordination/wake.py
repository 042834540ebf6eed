"""Which conversation is answered when: hints come in, and so many are answered at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

import structlog

from coordination.breaker import Breaker
from coordination.ports import IsDead
from storage import leases, reminders, windows
from storage.database import Database, Unavailable
from storage.records import ConversationKey

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.05
"""Between two looks at a backlog of which nothing can be taken: the database may be read-only."""


class Wakes:
    """Turns wake-ups into answers, at most one per conversation and `limit` in all."""

    def __init__(
        self,
        db: Database,
        answer: Callable[[ConversationKey], Coroutine[object, object, None]],
        *,
        holder: str,
        limit: int,
        is_dead: IsDead,
        breaker: Breaker,
    ) -> None:
        self._db = db
        self._answer = answer
        self._holder = holder
        self._limit = limit
        self._is_dead = is_dead
        self._breaker = breaker
        self._queue: dict[ConversationKey, None] = {}
        self._running: dict[ConversationKey, asyncio.Task[None]] = {}
        self._stopping = False
        self._more_are_due = False
        self._looking: asyncio.Task[None] | None = None

    def wake(self, key: ConversationKey) -> None:
        """Have `key` looked at as soon as there is room; one that waits keeps its turn."""
        if not self._stopping:
            self._queue.setdefault(key)
            self._start()

    async def sweep(self) -> None:
        """Wake what is due and nobody woke, reminders included; free what dead processes hold.

        Raises:
            Unavailable: the database is away; the next sweep will do.
        """
        holders = await leases.other_holders(self._db, holder=self._holder)
        dead = [holder for holder in holders if self._is_dead(holder)]
        if dead and await leases.free_leases_of(self._db, dead):
            log.info("leases_of_dead_freed", holders=dead)
        while await self._post() == self._limit:
            pass
        await self._look()

    def stop(self) -> None:
        """Start nothing new."""
        self._stopping = True
        self._queue.clear()

    async def idle(self) -> None:
        """Return once nothing runs."""
        if self._looking:
            await asyncio.wait({self._looking})
        while self._running:
            await asyncio.wait(self._running.values())

    def cancel(self) -> None:
        """Cancel whatever still runs."""
        for task in self._running.values():
            task.cancel()
        if self._looking:
            self._looking.cancel()

    async def _post(self) -> int:
        # What is posted is due like any reply, and found so.
        posted = await reminders.post_due_reminders(self._db, holder=self._holder, most=self._limit)
        return len(posted)

    async def _look(self) -> None:
        # Our own running conversations come back from the query too.
        most = self._limit + len(self._running)
        due = await windows.due_conversations(
            self._db,
            holder=self._holder,
            most=most,
            may_generate=self._breaker.lets_through(),
        )
        self._more_are_due = len(due) >= most
        for key in due:
            if key not in self._running:
                self.wake(key)

    async def _look_for_more(self) -> None:
        try:
            await asyncio.sleep(PAUSE_SECONDS)
            await self._look()
        except Unavailable:
            self._more_are_due = False  # the sweep has the patience for that
        finally:
            self._looking = None

    def _start(self) -> None:
        while len(self._running) < self._limit and (key := self._next()) is not None:
            del self._queue[key]
            task = asyncio.create_task(self._answer(key), name=f"answer {key}")
            self._running[key] = task
            task.add_done_callback(partial(self._ended, key))

    def _next(self) -> ConversationKey | None:
        return next((key for key in self._queue if key not in self._running), None)

    def _ended(self, key: ConversationKey, task: asyncio.Task[None]) -> None:
        del self._running[key]
        if not task.cancelled() and (error := task.exception()):
            log.error("answering_failed", conversation=key, exc_info=error)
        self._start()
        # A backlog comes in by the handful: nobody who writes now waits behind all of it. It
        # must not wait for the next sweep either, which would leave places empty.
        few = len(self._queue) <= self._limit // 2
        if self._more_are_due and few and not self._looking and not self._stopping:
            self._looking = asyncio.create_task(self._look_for_more())
