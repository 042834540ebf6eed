"""Who polls: one process at a time, the others stand by and take over."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from time import monotonic

import structlog

from coordination.ports import IsDead
from storage import leadership
from storage.database import Database, Unavailable
from storage.leadership import Polling

log = structlog.get_logger(__name__)

LONGEST_PAUSE_SECONDS = 1.0


class Leadership:
    """The polling lease of one bot, as this process sees it."""

    def __init__(
        self, db: Database, bot_id: int, *, holder: str, ttl: timedelta, is_dead: IsDead
    ) -> None:
        self._db = db
        self._bot_id = bot_id
        self._holder = holder
        self._ttl = ttl
        self._is_dead = is_dead
        self._pause = min(ttl.total_seconds() / 3, LONGEST_PAUSE_SECONDS)
        self.is_leader = False
        self._valid_until = 0.0

    def surely_leads(self) -> bool:
        """False once the lease may have expired by PostgreSQL's clock."""
        return self.is_leader and monotonic() < self._valid_until

    async def lead(
        self, work: Callable[[asyncio.Event], Awaitable[None]], stopping: asyncio.Event
    ) -> None:
        """Do `work` whenever this process leads, until `stopping`; then let another one lead."""
        standing_by = False
        while not stopping.is_set():
            asked_at = monotonic()
            polling = await self._take()
            if polling is not None:
                standing_by = False
                await self._lead(polling, work, stopping, asked_at)
            elif not standing_by:
                standing_by = True
                log.info("standing_by", why="another process polls this bot")
            if not stopping.is_set():
                await self._rest(stopping)

    async def _take(self) -> Polling | None:
        try:
            holder = await leadership.poller_of(self._db, self._bot_id)
            dead = [holder] if holder is not None and self._is_dead(holder) else []
            return await leadership.take_polling(
                self._db, self._bot_id, holder=self._holder, ttl=self._ttl, dead=dead
            )
        except Unavailable as error:
            log.warning("database_unavailable", error=str(error))
            return None

    async def _lead(
        self,
        polling: Polling,
        work: Callable[[asyncio.Event], Awaitable[None]],
        stopping: asyncio.Event,
        asked_at: float,
    ) -> None:
        log.info("polling_started", fence=polling.fence)
        self.is_leader = True
        self._valid_until = asked_at + self._ttl.total_seconds()
        working = asyncio.ensure_future(work(stopping))
        try:
            await self._keep(polling, working)
        finally:
            self.is_leader = False
            working.cancel()
            await asyncio.wait({working})
        if not working.cancelled():
            working.result()
        await self._release(polling)

    async def _keep(self, polling: Polling, working: asyncio.Future[None]) -> None:
        while not working.done() and self.surely_leads():
            await asyncio.wait({working}, timeout=self._pause)
            renewed_at = monotonic()
            try:
                # A connection that hangs must not carry the work past the expiry.
                async with asyncio.timeout(self._valid_until - renewed_at):
                    if not await leadership.renew_polling(self._db, polling, ttl=self._ttl):
                        break
                self._valid_until = renewed_at + self._ttl.total_seconds()
            except (Unavailable, TimeoutError):
                continue
        if not working.done():
            log.warning("polling_lease_lost")

    async def _release(self, polling: Polling) -> None:
        try:
            await leadership.release_polling(self._db, polling)
        except Unavailable as error:
            log.warning("polling_not_released", error=str(error))

    async def _rest(self, stopping: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(self._pause):
                await stopping.wait()
        except TimeoutError:
            pass
