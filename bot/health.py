"""HTTP: is the process alive, and is it ready to answer?"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import structlog
from aiohttp import web

from bot.http_port import EVERYWHERE, is_asked_for
from bot.metrics import add_metrics
from bot.settings import Settings, SettingsError
from storage import schema
from storage.database import Database, Unavailable
from storage.gauges import gauges

log = structlog.get_logger(__name__)

LOOPBACK = "127.0.0.1"
"""The page of local mode must not be open to the network."""


class Pulse(Protocol):
    """What receiving says of itself."""

    def is_polling(self) -> bool:
        """Whether this process is the one that polls."""
        ...

    def since_last_receive(self) -> float | None:
        """Seconds since Telegram last answered it; None: not yet."""
        ...


class Page(Protocol):
    """What local mode shows beside the health checks."""

    def add_to(self, app: web.Application, db: Database) -> None:
        """Add its routes."""
        ...

    def listens_at(self, url: str) -> None:
        """Note where it came to be."""
        ...


@asynccontextmanager
async def listen(
    settings: Settings, db: Database, pulse: Pulse, page: Page | None
) -> AsyncIterator[None]:
    """Answer on `HTTP_PORT`, unless it is 0, for the length of the block.

    Raises:
        SettingsError: the port was asked for and cannot be had.
    """
    if settings.http_port == 0:
        yield
        return
    app = health_app(db, pulse)
    if page:
        page.add_to(app, db)
    runner = await _serve(app, settings, host=LOOPBACK if page else EVERYWHERE)
    url = "http://{}:{}/".format(*runner.addresses[0][:2])
    log.info("http_listening", url=url)
    if page:
        page.listens_at(url)
    try:
        yield
    finally:
        await runner.cleanup()


def health_app(db: Database, pulse: Pulse) -> web.Application:
    """`/healthz`: the event loop turns. `/readyz`: it can receive and answer. `/metrics`."""

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def readyz(_request: web.Request) -> web.Response:
        try:
            found = await schema.version(db)
            ready = found == schema.HEAD
            overdue = (await gauges(db))["overdue_seconds"] if ready else None
        except Unavailable as error:
            return web.json_response({"ready": False, "database": str(error)}, status=503)
        state = {
            "ready": ready,
            "schema": found,
            "polling": pulse.is_polling(),
            "seconds_since_last_receive": pulse.since_last_receive(),
            "oldest_overdue_window_seconds": overdue,
        }
        return web.json_response(state, status=200 if ready else 503)

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    add_metrics(app, db)
    return app


async def _serve(app: web.Application, settings: Settings, host: str) -> web.AppRunner:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, settings.http_port).start()
    except OSError as error:
        if is_asked_for(settings):
            await runner.cleanup()
            raise SettingsError(
                f"HTTP_PORT: cannot listen on {settings.http_port} ({error.strerror}): "
                "choose another, or 0 for none"
            ) from None
        log.warning("http_port_taken", port=settings.http_port)
        # Nobody asked for this port: several processes on one machine shall not quarrel over it.
        await web.TCPSite(runner, host, 0).start()
    return runner
