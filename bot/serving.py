"""Running until a signal says stop."""

import asyncio
import signal

from bot.database import reachable_database
from bot.logs import set_up_logging
from bot.settings import Settings, load
from storage.steps import FaultPoint, no_fault


async def run_bot(at: FaultPoint = no_fault) -> None:
    """`onereply run`: strict about its settings."""
    settings = load(Settings)
    set_up_logging(settings)
    async with reachable_database(settings) as url:
        from bot.app import App

        app = App(settings.model_copy(update={"database_url": url}), at=at)
        await app.run(stop_signals())


def stop_signals() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set; the second of them ends the process at once."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        loop.remove_signal_handler(number)
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    return stopping
