"""While the model is away: those who wait are told so, each of them once."""

from datetime import timedelta

import structlog

from coordination.breaker import Breaker
from coordination.ports import Say
from coordination.voice import Voice
from storage import waiting
from storage.database import Database

log = structlog.get_logger(__name__)

MOST_AT_A_TIME = 20
"""In one look. Telegram takes about 30 messages a second (Bot FAQ, "My bot is hitting limits")."""


class OutageNotices:
    """Promises an answer to those who waited `after` for it; `Composer` keeps the promise."""

    def __init__(
        self,
        db: Database,
        breaker: Breaker,
        voice: Voice,
        say: Say,
        *,
        holder: str,
        after: timedelta,
    ) -> None:
        self._db = db
        self._breaker = breaker
        self._voice = voice
        self._say = say
        self._holder = holder
        self._after = after

    async def look(self) -> None:
        """Tell some of those who wait, if the model is away.

        What is noted as told is said at most once: a notice that is lost is not repeated.

        Raises:
            Unavailable: the database is away; the next look will do.
        """
        away_for = self._breaker.open_for
        if away_for is None or away_for < self._after.total_seconds():
            return
        waiters = await waiting.tell_to_wait(
            self._db, holder=self._holder, after=self._after, most=MOST_AT_A_TIME
        )
        for key in waiters:
            self._say(key, await self._voice.please_wait(key))
        if waiters:
            log.info("told_to_wait", conversations=len(waiters))
