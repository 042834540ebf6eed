"""Many people who keep writing, each line once, and whether each line was answered once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.neighbours import Neighbours
from tests.support.waiting import until_found

FIRST_CHAT = 2001
PAUSE_SECONDS = 1.0
ALL_RECEIVED = """
SELECT 1 AS yes FROM messages WHERE chat_id BETWEEN :first AND :last HAVING count(*) = :count
"""


class Crowd:
    """What the people wrote so far, by chat."""

    def __init__(self, around: Neighbours, size: int) -> None:
        self._around = around
        self._chats = range(FIRST_CHAT, FIRST_CHAT + size)
        self._lines: Counter[str] = Counter()

    async def keep_writing(self) -> None:
        async with asyncio.TaskGroup() as people:
            for place, chat_id in enumerate(self._chats):
                people.create_task(self._write(chat_id, place * PAUSE_SECONDS / len(self._chats)))

    async def _write(self, chat_id: int, later: float) -> None:
        await asyncio.sleep(later)
        for number in range(1000):
            line = f"line {number} of {chat_id}"
            self._around.telegram.say(chat_id, line)
            self._lines[line] += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async def are_heard(self) -> None:
        """Return once the bot has received every line."""
        among = {"first": self._chats[0], "last": self._chats[-1], "count": self._lines.total()}
        await until_found(self._around.database_url, ALL_RECEIVED, among)

    def assert_each_line_answered_once(self, resent: int = 0) -> None:
        """No line lost or answered by two replies; at most so many messages were seen twice."""
        seen = Counter(
            sent.text for chat_id in self._chats for sent in self._around.seen_by(chat_id)
        )
        answered = Counter(line for text in seen for line in _lines_in(text))
        assert answered == self._lines
        assert seen.total() - len(seen) <= resent


@asynccontextmanager
async def crowd(around: Neighbours, size: int) -> AsyncIterator[Crowd]:
    """People who write for the length of the block, which ends once all of it is received."""
    people = Crowd(around, size)
    writing = asyncio.create_task(people.keep_writing())
    try:
        yield people
    finally:
        writing.cancel()
        await asyncio.wait({writing})
    await people.are_heard()


def _lines_in(reply: str) -> list[str]:
    """The lines that the stand-in model repeats from its prompt."""
    return [line.removeprefix("• ") for line in reply.splitlines() if line.startswith("• ")]
