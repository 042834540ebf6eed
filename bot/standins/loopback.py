"""A small HTTP server on one port that can be stopped and started again."""

from collections.abc import Callable

from aiohttp import web

_SHUTDOWN_SECONDS = 0.05
_BACKLOG = 1024


class LoopbackServer:
    """Serves an aiohttp application; once started it keeps its port over restarts."""

    def __init__(
        self,
        build_app: Callable[[], web.Application],
        host: str,
        port: int,
        *,
        cancel_on_disconnect: bool = False,
    ) -> None:
        self._build_app = build_app
        self._host = host
        self._port = port
        self._cancel_on_disconnect = cancel_on_disconnect
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Base URL; known once the server was started, or at once when a port was given."""
        if self._port == 0:
            raise RuntimeError("not started: the port is not known yet")
        return f"http://{self._host}:{self._port}"

    @property
    def listening(self) -> bool:
        """Whether the port is open."""
        return self._runner is not None

    async def start(self) -> None:
        """Listen; a port of 0 is replaced by the one the system gave."""
        if self._runner is not None:
            raise RuntimeError("already started")
        runner = web.AppRunner(
            self._build_app(),
            access_log=None,
            handler_cancellation=self._cancel_on_disconnect,
            shutdown_timeout=_SHUTDOWN_SECONDS,
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port, backlog=_BACKLOG).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self._port = runner.addresses[0][1]

    async def stop(self) -> None:
        """Close every connection; calls under way are cut off, as when a server dies."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()


def hang_up(request: web.Request) -> None:
    """Drop the connection without an answer."""
    if request.transport is not None:
        request.transport.abort()
