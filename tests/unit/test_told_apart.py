"""Which failures of the driver mean "not now"."""

import asyncpg
import pytest

from storage.database import Unavailable, told_apart


@pytest.mark.parametrize(
    "error",
    [
        # A statement just after the server announced that it closes the connection.
        asyncpg.InternalClientError(
            "cannot switch to state 11; another operation (2) is in progress"
        ),
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        ConnectionRefusedError(111, "Connection refused"),
    ],
)
def test_g7_a_lost_connection_is_tried_again(error: Exception) -> None:
    assert isinstance(told_apart(error), Unavailable)


@pytest.mark.parametrize(
    "error", [asyncpg.ProtocolError("unexpected message"), asyncpg.DataError("wrong value")]
)
def test_a_mistake_of_our_own_is_not(error: Exception) -> None:
    assert told_apart(error) is error
