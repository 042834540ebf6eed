"""Keep the read models up with the events."""

from collections.abc import Callable, Coroutine, Sequence
from itertools import islice
from time import monotonic

from storage import projections
from storage.database import Database
from storage.pages import pages
from storage.records import ConversationKey

COMPARE_SECONDS = 60.0
MOST_AT_ONCE = 100
MOST_COMPARED = 1000

Answer = Callable[[ConversationKey], Coroutine[object, object, None]]


class Projector:
    """Folds what this process answered at once, and what others left behind a little later."""

    def __init__(self, db: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._db = db
        self._clock = clock
        self._behind: dict[ConversationKey, None] = {}
        self._compare_at = clock()

    def note(self, *keys: ConversationKey) -> None:
        """A hint: there may be new events here."""
        self._behind.update(dict.fromkeys(keys))

    def noting(self, answer: Answer) -> Answer:
        """The same work, and a hint when it ends: then the events of a burst are there."""

        async def answer_and_note(key: ConversationKey) -> None:
            try:
                await answer(key)
            finally:
                self.note(key)

        return answer_and_note

    async def project(self) -> None:
        """Fold everything we know of.

        Raises:
            Unavailable: the database is away; the next time will do.
        """
        await self._compare()
        while keys := list(islice(self._behind, MOST_AT_ONCE)):
            if not await self._fold(keys):
                break

    async def _compare(self) -> None:
        """Find what a process that died has left behind."""
        if self._clock() < self._compare_at:
            return
        found = await projections.behind(self._db, most=MOST_COMPARED)
        self.note(*found)
        if len(found) < MOST_COMPARED:
            self._compare_at = self._clock() + COMPARE_SECONDS

    async def _fold(self, keys: Sequence[ConversationKey]) -> bool:
        """Whether that got us any further."""
        # Forgotten before, not after: a hint that comes meanwhile is of newer events.
        for key in keys:
            del self._behind[key]
        done: set[ConversationKey] = set()
        try:
            folded = await projections.fold(self._db, keys)
            done = {each.key for each in folded if not each.has_more}
        finally:
            self.note(*(key for key in keys if key not in done))
        return bool(folded)


async def rebuild(db: Database, tell: Callable[[int, int], None]) -> None:
    """Fold every event that is still there anew; `tell` hears of conversations and events so far.

    Bots may go on meanwhile: whoever folds moves the checkpoint with the tallies it adds to.
    """
    conversations = events = 0
    async for page in pages(db):
        await projections.forget(db, page)
        left = page
        while left:
            folded = await projections.fold(db, left)
            events += sum(each.events for each in folded)
            done = {each.key for each in folded if not each.has_more}
            left = [key for key in left if key not in done]
        conversations += len(page)
        tell(conversations, events)
