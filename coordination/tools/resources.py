"""Resources that tools of several conversations share, used by one call at a time."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from random import uniform

from coordination.patience import until_available
from coordination.ports import IsDead
from storage import resources
from storage.database import Database, Unavailable
from storage.records import Lease
from storage.resources import ResourceLease

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 0.2


def user(process: str, what: str) -> str:
    """The name by which something in a process uses resources: two in one exclude each other."""
    return f"{process} {what}"


def user_under(lease: Lease) -> str:
    """The name by which a run uses resources."""
    return user(lease.holder, f"{lease.key.chat_id} {lease.key.thread_id} {lease.fence}")


class Resources:
    """Takes them in the order of their names: two calls can never wait for each other."""

    def __init__(self, db: Database, *, ttl: timedelta, is_dead: IsDead) -> None:
        self._db = db
        self._ttl = ttl
        self._is_dead = is_dead

    @asynccontextmanager
    async def using(self, names: Sequence[str], holder: str) -> AsyncIterator[None]:
        """Hold all of them while the block runs. To find one in use is to wait, not to fail."""
        async with AsyncExitStack() as holding:
            for name in sorted(names):
                taken = await self._take(name, holder)
                await holding.enter_async_context(self._kept(taken))
            yield

    async def _take(self, name: str, holder: str) -> ResourceLease:
        while True:
            if taken := await self._try_to_its_end(name, holder):
                return taken
            await asyncio.sleep(uniform(SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS))  # noqa: S311

    async def _try_to_its_end(self, name: str, holder: str) -> ResourceLease | None:
        trying = asyncio.ensure_future(until_available(lambda: self._try(name, holder)))
        try:
            return await asyncio.shield(trying)
        except asyncio.CancelledError:
            # What was taken all the same would be in use until it expires.
            if taken := await trying:
                await self._release(taken)
            raise

    async def _try(self, name: str, holder: str) -> ResourceLease | None:
        found = await resources.user_of(self._db, name)
        dead = [found] if found and self._is_dead(found.partition(" ")[0]) else []
        return await resources.take_resource(
            self._db, name, holder=holder, ttl=self._ttl, dead=dead
        )

    @asynccontextmanager
    async def _kept(self, lease: ResourceLease) -> AsyncIterator[None]:
        keeping = asyncio.create_task(self._keep(lease))
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait({keeping})
            await self._release(lease)

    async def _release(self, lease: ResourceLease) -> None:
        with suppress(Unavailable):  # then it expires
            await resources.release_resource(self._db, lease)

    async def _keep(self, lease: ResourceLease) -> None:
        while True:
            await asyncio.sleep(self._ttl.total_seconds() / 3)
            with suppress(Unavailable):
                await resources.renew_resource(self._db, lease, ttl=self._ttl)
