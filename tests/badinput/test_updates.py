"""Whatever comes in is counted, put aside as it is, or ignored on purpose, and polling goes on."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given

from tests.badinput.expected import may_be_ignored
from tests.badinput.kinds import PRIVATE_CHAT, private_message
from tests.badinput.station import Station, Whereabouts, normal, station
from tests.badinput.updates import any_update
from tests.support.neighbours import Neighbours
from tests.support.searching import TIMEOUT, search

pytestmark = pytest.mark.timeout(TIMEOUT)

BOB = 502


def good(message_id: int) -> dict[str, Any]:
    chat = {**PRIVATE_CHAT, "id": BOB}
    message = private_message(text="hello") | {"message_id": message_id, "chat": chat}
    return {"update_id": 8_000_000 + message_id, "message": message}


@pytest_asyncio.fixture
async def here(around: Neighbours) -> AsyncIterator[Station]:
    async with station(around) as found:
        yield found


def of_bob(found: Whereabouts) -> list[int]:
    return [row["message_id"] for row in found.counted if row["chat_id"] == BOB]


@given(update=any_update)
@search(150)
async def test_g6_each_update_goes_to_one_place_and_the_next_is_counted(
    here: Station, update: Any
) -> None:
    found = await here.handle(good(1), update, good(2))
    assert of_bob(found) == [1, 2]
    places = len(found.counted) - 2 + len(found.aside) + len(found.told)
    assert places == 1 or (places == 0 and may_be_ignored(update))
    if found.aside:
        assert found.aside == [normal(update)]


async def test_g6_an_update_that_cannot_even_be_put_aside_stops_nothing(here: Station) -> None:
    async def refuse(_payload: str, _error: str) -> None:
        raise ValueError("for good")

    here.set_aside = refuse
    found = await here.handle(good(1), {"from": "the future"}, good(2))
    assert of_bob(found) == [1, 2]
