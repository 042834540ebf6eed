"""An update queue that repeats, shuffles and renumbers, as the switches say."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from bot.standins.telegram_switches import (
    DAY_LATE,
    IDS_RESTART,
    OUT_OF_ORDER,
    POLL,
    REPEAT_MESSAGE,
    REPEAT_UPDATE,
    UPDATE,
    TelegramSwitches,
)
from bot.standins.updates import UpdateQueue

_SECONDS_PER_HOUR = 3600
# So far down that no offset of the sequence before reaches it; below that is no room.
_LEAST_STEP = 1000


class SpoiltQueue(UpdateQueue):
    """Behaves while no switch is on. `came` is told when an update comes that nobody pushed."""

    def __init__(self, first_id: int, switches: TelegramSwitches) -> None:
        super().__init__(first_id)
        self._switches = switches
        self._under_way = 0
        self._repeated: list[bytes] = []
        self.came: Callable[[], None] = lambda: None

    def __len__(self) -> int:
        return super().__len__() + self._under_way + len(self._repeated)

    def push(self, encoded_body: bytes, update_id: int | None = None) -> int:
        """Append an update, and perhaps the same again later under an id of its own."""
        if update_id is None and self._switches.strikes(IDS_RESTART, UPDATE):
            update_id = self._lower_id()
        queued = super().push(encoded_body, update_id)
        if struck := self._switches.strikes(REPEAT_MESSAGE, UPDATE):
            self._later(struck.argument, partial(super().push, encoded_body))
        return queued

    def take(self, offset: int, limit: int) -> list[bytes]:
        """Return the next updates; those that come again are not for the offset to forget."""
        fresh = super().take(offset, limit)
        batch = [*self._repeated, *fresh][:limit]
        del self._repeated[:limit]
        if len(batch) > 1 and self._switches.strikes(OUT_OF_ORDER, POLL):
            self._shuffle(batch)
        return batch

    def _confirmed(self, encoded: bytes) -> None:
        if struck := self._switches.strikes(REPEAT_UPDATE, UPDATE):
            self._later(struck.argument, partial(self._repeated.append, encoded))

    def _later(self, seconds: float, act: Callable[[], object]) -> None:
        def arrive() -> None:
            self._under_way -= 1
            act()
            self.came()

        self._under_way += 1
        asyncio.get_running_loop().call_later(seconds, arrive)

    def _shuffle(self, batch: list[bytes]) -> None:
        before = batch.copy()
        self._switches.random(OUT_OF_ORDER).shuffle(batch)
        if batch == before:
            batch.reverse()

    def _lower_id(self) -> int | None:
        highest = self.next_id - _LEAST_STEP
        if highest < _LEAST_STEP:
            return None
        return self._switches.random(IDS_RESTART).randrange(highest // 2, highest)


def aged(body: dict[str, Any], switches: TelegramSwitches) -> dict[str, Any]:
    """The update's content as it is, or dated back."""
    dated = {
        kind: content
        for kind, content in body.items()
        if isinstance(content, dict) and isinstance(content.get("date"), int)
    }
    struck = switches.strikes(DAY_LATE, UPDATE) if dated else None
    if struck is None:
        return body
    back = round(struck.argument * _SECONDS_PER_HOUR)
    return body | {
        kind: {**content, "date": content["date"] - back} for kind, content in dated.items()
    }
