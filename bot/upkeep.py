"""What keeps the database in shape while the bot runs: partitions ahead, what is too old away."""

from datetime import timedelta
from time import monotonic

import structlog

from storage.database import Database
from storage.partitions import make_partitions
from storage.prune import LEAST, prune
from storage.prune.early_edits import prune_early_edits

log = structlog.get_logger(__name__)

LOOK_SECONDS = 60.0
UPKEEP_SECONDS = 3600.0


class Upkeep:
    """Every hour, and for the first time within a minute: a process may not live for an hour."""

    def __init__(self, db: Database, *, retention_days: int) -> None:
        self._db = db
        self._retention = timedelta(days=retention_days)
        self._due_at = monotonic()

    async def look(self) -> None:
        """Do what is due. Any number of processes may, at once too.

        Raises:
            Unavailable: the database is away; the next look will do.
        """
        if monotonic() < self._due_at:
            return
        if made := await make_partitions(self._db):
            log.info("partitions_made", names=made)
        # Their words are kept for nothing: the message of such an edit cannot come any more.
        while await prune_early_edits(self._db, older_than=LEAST):
            pass
        if self._retention and (removed := await prune(self._db, older_than=self._retention)):
            log.info("pruned", **removed.as_dict())
        self._due_at = monotonic() + UPKEEP_SECONDS
