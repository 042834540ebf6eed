"""[3] Wake-ups: one date job per window, replaced when the window moves, and the periodic work."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from storage.records import ConversationKey


class Schedule:
    """The one scheduler of the process. A job only hands over; it never waits for a reply."""

    def __init__(self) -> None:
        self._wake: Callable[[ConversationKey], None] = lambda _key: None
        # Without a misfire grace a busy event loop would silently drop late jobs.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
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
        """Call `work` every so many seconds, and not again while it runs."""
        self._scheduler.add_job(work, "interval", seconds=seconds, id=name)

    def stop(self) -> None:
        """Fire nothing more."""
        self._scheduler.shutdown(wait=False)

    async def _fire(self, key: ConversationKey) -> None:
        self._wake(key)
