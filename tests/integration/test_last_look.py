"""G3: whether a reply may go is asked at the last moment, after which nothing can come between.

A process that is stopped there and wakes up when its lease is gone must not send any more.
"""

import asyncio
import select
import socket
from collections.abc import AsyncIterator

import pytest

from bot.courier import TelegramCourier
from bot.settings import Settings, load
from bot.telegram import telegram_bot
from coordination.ports import Delivered, NotNow
from tests.support.acts import ADA
from tests.support.neighbours import TOKEN

ANSWER = (
    b'{"ok":true,"result":{"message_id":7,"date":1,"chat":{"id":501,"type":"private"},"text":"x"}}'
)
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
    len(ANSWER),
    ANSWER,
)


class Listener:
    """A server on a bare socket, which shows what the kernel has and when."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._connection: socket.socket | None = None
        self.port: int = self._socket.getsockname()[1]

    def something_came(self) -> bool:
        """Whether a first byte has left the client, by now."""
        if self._connection is None:
            if not _is_readable(self._socket):
                return False
            self._connection, _ = self._socket.accept()
        return _is_readable(self._connection)

    def nothing_but_the_end(self) -> bool:
        """Whether the client hung up without a word."""
        assert self._connection
        return self._connection.recv(1) == b""

    def answer(self) -> None:
        assert self._connection
        self._connection.sendall(RESPONSE)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._socket.close()


def _is_readable(where: socket.socket) -> bool:
    return bool(select.select([where], [], [], 0.05)[0])


@pytest.fixture
async def listener() -> AsyncIterator[Listener]:
    found = Listener()
    yield found
    found.close()


@pytest.fixture
async def courier(listener: Listener) -> AsyncIterator[TelegramCourier]:
    settings = load(
        Settings,
        _env_file=None,
        telegram_bot_token=TOKEN,
        telegram_api_url=f"http://127.0.0.1:{listener.port}",
        openai_api_key="key",
        database_url="embedded",
    )
    bot = telegram_bot(settings)
    yield TelegramCourier(bot)
    await bot.session.close()


@pytest.mark.parametrize("text", ["x", "long " * 800])
async def test_g3_the_first_byte_leaves_before_the_event_loop_turns(
    courier: TelegramCourier, listener: Listener, text: str
) -> None:
    looks: list[bool] = []

    def one_turn_later() -> None:
        looks.append(listener.something_came())
        listener.answer()

    def may_go() -> bool:
        assert not listener.something_came()
        asyncio.get_running_loop().call_soon(one_turn_later)
        return True

    assert await courier.send(ADA, text, "plain", may_go) == Delivered(7)
    assert looks == [True]


async def test_g3_what_may_not_go_is_not_sent(courier: TelegramCourier, listener: Listener) -> None:
    assert isinstance(await courier.send(ADA, "x", "rich", lambda: False), NotNow)
    assert not listener.something_came() or listener.nothing_but_the_end()
