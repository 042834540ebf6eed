"""getUpdates: one call at a time may wait for an update."""

import asyncio
import json

from bot.standins.updates import UpdateQueue
from bot.standins.wire import ApiError

_LONGEST_WAIT = 50
_LARGEST_BATCH = 100
_NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})

OTHER_POLLER = (
    "Conflict: terminated by other getUpdates request; "
    "make sure that only one bot instance is running"
)
_WEBHOOK_SET_MEANWHILE = "Conflict: terminated by setWebhook request"
_WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)


class Polling:
    """Serves the update queue to pollers, and keeps the webhook that excludes them."""

    def __init__(self, queue: UpdateQueue) -> None:
        self.queue = queue
        self.webhook_url = ""
        self.allowed_updates: frozenset[str] = frozenset()
        self._waiting: asyncio.Future[str | None] | None = None

    def wants(self, kind: str) -> bool:
        """Whether updates of this kind are queued; the real server decides when one happens."""
        if self.allowed_updates:
            return kind in self.allowed_updates
        return kind not in _NOT_BY_DEFAULT

    def remember_allowed(self, encoded: str) -> None:
        """Keep the list for later calls; what cannot be read leaves the previous list in force."""
        try:
            kinds = json.loads(encoded)
        except ValueError:
            return
        if isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds):
            self.allowed_updates = frozenset(kind.lower() for kind in kinds)

    async def get_updates(self, offset: int, limit: int, seconds: int) -> list[bytes]:
        """Return encoded updates, waiting up to that many `seconds` for the first."""
        if self.webhook_url:
            raise ApiError(409, _WEBHOOK_ACTIVE)
        limit = min(max(limit, 1), _LARGEST_BATCH)
        batch = self.queue.take(offset, limit)
        if batch or seconds <= 0:
            return batch
        conflict = await self._wait(min(seconds, _LONGEST_WAIT))
        if conflict is not None:
            raise ApiError(409, conflict)
        return self.queue.take(offset, limit)

    def set_webhook(self, url: str) -> None:
        """Remember the webhook; a poller that waits is turned away."""
        if url:
            self._end_wait(_WEBHOOK_SET_MEANWHILE)
        self.webhook_url = url

    def wake(self) -> None:
        """Let the poller that waits look again."""
        self._end_wait(None)

    async def _wait(self, seconds: float) -> str | None:
        self._end_wait(OTHER_POLLER)
        waiter: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting = waiter
        try:
            async with asyncio.timeout(seconds):
                return await waiter
        except TimeoutError:
            return None
        finally:
            if self._waiting is waiter:
                self._waiting = None

    def _end_wait(self, conflict: str | None) -> None:
        waiter, self._waiting = self._waiting, None
        if waiter is not None and not waiter.done():
            waiter.set_result(conflict)
