"""HTTP: is the process alive, and is it ready to answer?"""

from collections.abc import Callable

import structlog
from aiohttp import web

from storage import schema
from storage.database import Database, Unavailable

log = structlog.get_logger(__name__)


def health_app(db: Database, is_polling: Callable[[], bool]) -> web.Application:
    """`/healthz`: the event loop turns. `/readyz`: the database is there, at our schema."""

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def readyz(_request: web.Request) -> web.Response:
        try:
            found = await schema.version(db)
        except Unavailable as error:
            return web.json_response({"ready": False, "database": str(error)}, status=503)
        ready = found == schema.HEAD
        state = {"ready": ready, "schema": found, "polling": is_polling()}
        return web.json_response(state, status=200 if ready else 503)

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    return app


async def serve(app: web.Application, host: str, port: int, *, must: bool) -> web.AppRunner:
    """Listen; unless it `must` be this port, a taken one gives way to any other.

    Raises:
        OSError: the port is taken.
    """
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        if must:
            await runner.cleanup()
            raise
        await web.TCPSite(runner, host, 0).start()
    log.info("http_listening", url="http://{}:{}/".format(*runner.addresses[0][:2]))
    return runner
