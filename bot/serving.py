"""Running until a signal says stop."""

import asyncio
import gc
import signal

from bot.database import reachable_database
from bot.logs import set_up_logging
from bot.settings import Settings, load
from storage.steps import FaultPoint, no_fault

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def run_bot(at: FaultPoint = no_fault) -> None:
    """`onereply run`: strict about its settings."""
    settings = load(Settings)
    set_up_logging(settings)
    # Before anything is started: a signal must find somebody who cleans up.
    stopping = stop_signals()
    async with reachable_database(settings) as url:
        from bot.app import App

        # What was imported stays until the end. The collector, which need not look at it, would
        # do so while we work and, for a second or more, on the way out.
        gc.freeze()
        app = App(settings.model_copy(update={"database_url": url}), at=at)
        await app.run(stopping)


def stop_signals() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set; a second signal ends the process at once."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)
            # Python's own handler of SIGINT would go through all the cleaning up again.
            signal.signal(number, signal.SIG_DFL)
        stopping.set()

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    return stopping
