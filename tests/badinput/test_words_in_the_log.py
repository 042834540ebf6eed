"""What somebody wrote is nobody's business who reads the log."""

from collections.abc import AsyncIterator

import pytest_asyncio
from structlog.testing import capture_logs

from tests.badinput.station import Station, station
from tests.support.neighbours import Neighbours

WITHOUT_A_CHAT = {"update_id": 1, "message": {"message_id": 5, "date": 1, "text": "hunter2"}}
ERRORS = "SELECT error FROM set_aside_updates"


@pytest_asyncio.fixture
async def here(around: Neighbours) -> AsyncIterator[Station]:
    async with station(around) as found:
        yield found


async def test_an_update_that_was_put_aside_is_not_quoted(here: Station) -> None:
    with capture_logs() as logs:
        found = await here.handle(WITHOUT_A_CHAT)
    assert "hunter2" in found.aside[0]
    [told] = [each for each in logs if each["event"] == "update_set_aside"]
    assert "exc_info" not in told, "the words of the error quote the update"
    assert told["error"] == "ValidationError: message.chat: missing"
    [row] = await here.db.fetch(ERRORS, {})
    assert row.error == told["error"]
