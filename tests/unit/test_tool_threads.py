"""Tools that are plain functions run in threads, which nobody can stop."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from bot.standins.news import HANG_SECONDS
from coordination.tools.tool import Call, reading
from storage.database import Database
from storage.records import ConversationKey

MANY = 40
"""More than asyncio's own pool has threads, on any machine: it has 32 at most."""


LEAVE_A_HANGING_TOOL = """
import asyncio, threading
from coordination.tools.tool import reading

@reading(time_limit=0.01)
def hang() -> str:
    "Hang."
    threading.Event().wait()
    return ""

async def main():
    try:
        await hang.run(hang.function, None, hang.arguments())
    except TimeoutError:
        pass

asyncio.run(main())
"""


@pytest.fixture
def until_the_end() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def test_tools_that_hang_leave_the_threads_of_others_alone(
    until_the_end: threading.Event,
) -> None:
    @reading(time_limit=0.01)
    def hang() -> str:
        """Hang."""
        until_the_end.wait()
        return ""

    call = Call(ConversationKey(501, 0), "key", Database("postgresql://nowhere"))

    async def times_out() -> None:
        with pytest.raises(TimeoutError):
            await hang.run(hang.function, call, hang.arguments())

    await asyncio.gather(*(times_out() for _ in range(MANY)))
    async with asyncio.timeout(HANG_SECONDS):
        assert await asyncio.to_thread(lambda: "cut") == "cut"


def test_a_tool_that_hangs_keeps_no_process_from_ending() -> None:
    subprocess.run([sys.executable, "-c", LEAVE_A_HANGING_TOOL], check=True, timeout=HANG_SECONDS)


async def test_what_a_plain_function_raises_reaches_the_caller() -> None:
    @reading()
    def fail() -> str:
        """Fail."""
        raise ZeroDivisionError

    call = Call(ConversationKey(501, 0), "key", Database("postgresql://nowhere"))
    with pytest.raises(ZeroDivisionError):
        await fail.run(fail.function, call, fail.arguments())
