"""File locks between the processes that use one folder; the kernel drops those of the dead."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

POLL_SECONDS = 0.02


class FileLock:
    """An open lock file. Two of them exclude each other, also within one process."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def share(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        # Unlocked by name: a forked child may still hold a copy of the descriptor.
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)


@asynccontextmanager
async def exclusively(path: Path) -> AsyncIterator[None]:
    """Hold *path* exclusively, waiting as long as another holds it."""
    lock = FileLock(path)
    try:
        while not lock.try_exclusive():  # noqa: ASYNC110 - held by another process
            await asyncio.sleep(POLL_SECONDS)
        yield
    finally:
        lock.close()
