"""Files are read once, although a reply may be begun several times."""

import asyncio

from coordination.ports import Attachments, Contents, Unreadable
from storage.records import Attachment

MOST_KEPT = 64
"""Of the latest files; a picture takes some hundred kilobytes."""


class ReadOnce:
    """Goes on reading when the run that asked is dropped: the next one wants the same."""

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments
        self._readings: dict[Attachment, asyncio.Task[Contents]] = {}

    async def read(self, attachment: Attachment) -> Contents:
        """What was read of it before, or is being read; what failed is tried anew."""
        reading = self._readings.pop(attachment, None)
        if reading is None or _has_failed(reading):
            reading = asyncio.create_task(self._attachments.read(attachment))
        self._readings[attachment] = reading  # the last to be forgotten
        self._forget_oldest()
        return await asyncio.shield(reading)

    async def aclose(self) -> None:
        """Stop reading, and forget everything; call it when nobody waits for a file."""
        readings = list(self._readings.values())
        self._readings.clear()
        for reading in readings:
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)

    def _forget_oldest(self) -> None:
        finished = [each for each, reading in self._readings.items() if reading.done()]
        for each in finished[:-MOST_KEPT]:
            del self._readings[each]


def _has_failed(reading: asyncio.Task[Contents]) -> bool:
    if not reading.done():
        return False
    return (
        reading.cancelled()
        or reading.exception() is not None
        or isinstance(reading.result(), Unreadable)
    )
