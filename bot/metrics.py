"""`/metrics`: what the process counted, and how things stand in the database."""

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Gauge, generate_latest

from storage.database import Database, Unavailable
from storage.gauges import gauges

STANDING = {
    "windows_open": Gauge("onereply_windows_open", "Bursts that may still grow."),
    "windows_due": Gauge("onereply_windows_due", "Bursts that wait for somebody to answer."),
    "overdue_seconds": Gauge(
        "onereply_oldest_overdue_window_seconds", "How long the oldest of those has been due."
    ),
    "replies_waiting": Gauge("onereply_outbox_replies", "Replies not yet delivered."),
    "oldest_reply_seconds": Gauge(
        "onereply_outbox_oldest_age_seconds", "Age of the oldest reply not yet delivered."
    ),
    "reminders_waiting": Gauge("onereply_reminders_waiting", "Reminders still to come."),
    "undos_waiting": Gauge("onereply_undos_waiting", "Effects of tools still to be undone."),
}
DATABASE_UP = Gauge("onereply_database_up", "1 if the database answered this scrape.")


def add_metrics(app: web.Application, db: Database) -> None:
    """Add the route."""

    async def metrics(_request: web.Request) -> web.Response:
        try:
            for name, value in (await gauges(db)).items():
                STANDING[name].set(value)
            DATABASE_UP.set(1)
        except Unavailable:
            # What the process counted is wanted all the more.
            DATABASE_UP.set(0)
        return web.Response(
            body=generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    app.router.add_get("/metrics", metrics)
