"""A server that refuses connections while a switch is on, and keeps its port and state."""

import asyncio

from bot.standins.loopback import LoopbackServer
from bot.standins.switches import Switches
from bot.standins.telegram_switches import AWAY

_PORT_TAKEN_SECONDS = 0.1


class Away:
    """Opens and closes one server's port after its switch `away`."""

    def __init__(self, switches: Switches, server: LoopbackServer) -> None:
        self._switches = switches
        self._server = server
        self._started = False
        self._lock = asyncio.Lock()
        self._following: set[asyncio.Task[None]] = set()
        self._return: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Listen, unless the switch is on."""
        async with self._lock:
            await self._server.start()
            self._started = True
        self.follow()
        await self.settled()

    async def stop(self) -> None:
        """Close the port, whatever the switch says."""
        async with self._lock:
            self._started = False
            self._forget_return()
            await self._server.stop()

    def follow(self) -> None:
        """Take notice of the switch."""
        self._forget_return()
        setting = self._switches.get(AWAY)
        if setting is not None and setting.argument > 0:
            loop = asyncio.get_running_loop()
            self._return = loop.call_later(setting.argument, self._switches.off, AWAY)
        # A task of its own: the one who asks may be a connection that is about to be closed.
        task = asyncio.create_task(self._obey())
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def settled(self) -> None:
        """Return once the port is as the switch says."""
        while self._following:
            await asyncio.wait(self._following)

    async def _obey(self) -> None:
        async with self._lock:
            if self._started and self._switches.get(AWAY) is None:
                await self._listen()
            elif self._started:
                await self._server.stop()

    async def _listen(self) -> None:
        while not self._server.listening:
            try:
                await self._server.start()
            except OSError:
                # A connection of somebody else may have been given the port meanwhile.
                await asyncio.sleep(_PORT_TAKEN_SECONDS)

    def _forget_return(self) -> None:
        if self._return is not None:
            self._return.cancel()
            self._return = None
