"""One process of the bot that finds by itself what is due."""

from typing import Any

from coordination.tools.toolbox import Toolbox
from coordination.wake import Wakes
from storage.database import Database
from tests.support.one_process import NO_TOOLS, OneProcess


class SweepingProcess(OneProcess):
    """It sweeps when it is told to, and answers so many at a time."""

    def __init__(
        self, db: Database, holder: str, tools: Toolbox = NO_TOOLS, *, limit: int, **changed: Any
    ) -> None:
        super().__init__(db, holder, tools, **changed)
        self.wakes = Wakes(
            db,
            self.answerer.answer,
            holder=holder,
            limit=limit,
            is_dead=self.dead.__contains__,
            breaker=self.breaker,
        )

    async def sweep(self) -> None:
        """One, and all that comes of it."""
        await self.wakes.sweep()
        await self.wakes.idle()
