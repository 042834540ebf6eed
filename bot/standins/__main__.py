"""Both stand-ins in a process of their own, for benchmarks and for tests of whole processes.

When they are ready, one line of JSON with their URLs goes to standard output. SIGTERM ends them.
`control` has the switches of both under /control/faults, also while a stand-in is away.
"""

import argparse
import asyncio
import json
import signal
import sys

from aiohttp import web

from bot.standins.loopback import LoopbackServer
from bot.standins.model import ModelStandIn
from bot.standins.page import add_page
from bot.standins.switch_kinds import SwitchError
from bot.standins.switch_routes import add_switches
from bot.standins.switch_words import GRAMMAR, read_orders
from bot.standins.switchboard import Switchboard
from bot.standins.telegram import TelegramStandIn


def main() -> None:
    """Run until told to stop."""
    arguments = _read_arguments()
    try:
        asyncio.run(_serve(arguments))
    except SwitchError as error:
        sys.exit(str(error))


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bot.standins", description=__doc__)
    parser.add_argument("--telegram-port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--model-port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--model-delay", type=float, default=0.0, help="seconds to the first word")
    parser.add_argument("--page-port", type=int, help="serve the chat page too")
    parser.add_argument(
        "--fault", action="append", default=[], metavar=GRAMMAR, help="switch a fault on"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the faults that strike at random")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    told_to_stop = _stop_signal()
    telegram = TelegramStandIn(port=arguments.telegram_port, record_calls=False)
    model = ModelStandIn(port=arguments.model_port, delay=arguments.model_delay, record_calls=False)
    board = Switchboard({"telegram": telegram.switches, "model": model.switches})
    board.sow(arguments.seed)
    board.obey(read_orders(arguments.fault))
    servers: dict[str, TelegramStandIn | ModelStandIn | LoopbackServer] = {
        "telegram": telegram,
        "model": model,
        "control": _control(board, telegram),
    }
    if arguments.page_port is not None:
        servers["page"] = _page(telegram, model, arguments.page_port)
    for server in servers.values():
        await server.start()
    urls = {name: server.url for name, server in servers.items()}
    sys.stdout.write(json.dumps(urls) + "\n")
    sys.stdout.flush()
    await told_to_stop.wait()
    for server in reversed(servers.values()):
        await server.stop()


def _control(board: Switchboard, telegram: TelegramStandIn) -> LoopbackServer:
    def build_app() -> web.Application:
        app = web.Application()
        add_switches(app, "/control/faults", board, telegram.wait_until_switched)
        return app

    return LoopbackServer(build_app, "127.0.0.1", 0)


def _page(telegram: TelegramStandIn, model: ModelStandIn, port: int) -> LoopbackServer:
    def build_app() -> web.Application:
        app = web.Application()
        add_page(app, telegram, model, inspect=None)
        return app

    return LoopbackServer(build_app, "127.0.0.1", port)


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


if __name__ == "__main__":
    main()
