"""Let go of what is older than the operator wants to keep.

Each batch is a short transaction that removes a prefix of some conversations and raises their
`floors` with it, so pruning may be broken off at any moment, done again, and done beside bots. A
prefix is all that ever goes: what is left is replayed from the floor.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from storage.database import Database
from storage.pages import pages
from storage.partitions import drop_partitions
from storage.prune.content import prune_content
from storage.prune.early_edits import prune_early_edits
from storage.prune.events import prune_events
from storage.records import ConversationKey

AT_A_TIME = 20
"""Conversations in a transaction; of each it takes a bounded piece."""

LEAST = timedelta(days=2)
"""Telegram may deliver an update again within a day: its message must be known until then."""


@dataclass(slots=True)
class Removed:
    """What went."""

    events: int = 0
    partitions: int = 0
    messages: int = 0
    runs: int = 0
    parts: int = 0
    cached_results: int = 0
    early_edits: int = 0

    def __bool__(self) -> bool:
        return any(self.as_dict().values())

    def as_dict(self) -> dict[str, int]:
        """How much of each kind."""
        return asdict(self)


async def prune(
    db: Database,
    *,
    older_than: timedelta,
    now: datetime | None = None,
    tell: Callable[[Removed], None] = lambda _removed: None,
) -> Removed:
    """Remove everything so old that may go; `tell` hears of the sums after each batch.

    Raises:
        Unavailable, Unusable: as for any statement; what is removed by then stays so.
    """
    removed = Removed()

    async def some_events(page: Sequence[ConversationKey]) -> int:
        events = await prune_events(db, page, older_than=older_than, now=now)
        removed.events += events
        return events

    async def some_content(page: Sequence[ConversationKey]) -> int:
        gone = await prune_content(db, page, older_than=older_than, now=now)
        for name, amount in gone.items():
            setattr(removed, name, getattr(removed, name) + amount)
        return sum(gone.values())

    async for page in pages(db, most=AT_A_TIME):
        for batch in (some_events, some_content):
            await _all_of(batch, page)
            tell(removed)
    while edits := await prune_early_edits(db, older_than=older_than, now=now):
        removed.early_edits += edits
        tell(removed)
    removed.partitions = len(await drop_partitions(db, older_than=older_than, now=now))
    return removed


async def _all_of(
    batch: Callable[[Sequence[ConversationKey]], Awaitable[int]], page: Sequence[ConversationKey]
) -> None:
    while await batch(page):
        pass
