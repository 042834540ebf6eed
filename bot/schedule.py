"""[3] Wake-ups: one date job per window, replaced when the window moves, and the periodic work."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from storage.records import ConversationKey

log = structlog.get_logger(__name__)


class Schedule:
    """The one scheduler of the process. A job only hands over; it never waits for a reply."""

    def __init__(self) -> None:
        self._wake: Callable[[ConversationKey], None] = lambda _key: None
        self._periodic: list[asyncio.Task[None]] = []
        # Without a misfire grace a busy event loop would silently drop late jobs; with one instance
        # at most, a wake-up that comes due before the one before it counts as finished.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 100},
        )

    def start(self, wake: Callable[[ConversationKey], None]) -> None:
        """Begin to fire; `wake` is called on the event loop and must not block."""
        self._wake = wake
        self._scheduler.start()

    def set(self, key: ConversationKey, seconds: float) -> None:
        """Wake `key` in `seconds`, instead of at an earlier set time."""
        if seconds <= 0:
            self._wake(key)
            return
        self._scheduler.add_job(
            self._fire,
            "date",
            run_date=datetime.now(UTC) + timedelta(seconds=seconds),
            args=(key,),
            id=f"{key.chat_id}/{key.thread_id}",
            replace_existing=True,
        )

    def every(self, seconds: float, work: Callable[[], Awaitable[None]], name: str) -> None:
        """Call `work` every so many seconds, and not again while it runs.

        Not by the scheduler, whose time is the wall clock: when that is set back an hour, leases
        must be renewed all the same, and the sweep find what the date jobs then miss.
        """
        self._periodic.append(asyncio.create_task(_repeat(seconds, work), name=name))

    def stop(self) -> None:
        """Fire nothing more."""
        for task in self._periodic:
            task.cancel()
        self._scheduler.shutdown(wait=False)

    async def _fire(self, key: ConversationKey) -> None:
        self._wake(key)


async def _repeat(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    clock = asyncio.get_running_loop().time
    next_at = clock()
    while True:
        # What is overdue happens at once, and once: a process that was stopped has not to catch up.
        next_at = max(next_at + seconds, clock())
        await asyncio.sleep(next_at - clock())
        try:
            await work()
        except Exception:
            log.exception("periodic_work_failed")
