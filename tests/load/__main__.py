"""`python -m tests.load`: put a load on real processes and print the figures."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from tests.load.crowd import crowd_at_once
from tests.load.drain import drain
from tests.load.overload import overload
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import fresh_database, make_template, private_server


async def _measure(sizes: argparse.Namespace) -> None:
    async with private_server() as server:
        await make_template(server)
        for name, load in _loads(sizes).items():
            if name.startswith(sizes.only):
                async with fresh_database(server) as url, neighbours(url) as around:
                    _show(name, asdict(await load(around)))


def _loads(sizes: argparse.Namespace) -> dict[str, Callable[[Neighbours], Awaitable[Any]]]:
    of_all = {"width": sizes.width, "model_seconds": sizes.model_seconds}
    return {
        "crowd": partial(crowd_at_once, size=sizes.crowd, quiet=20, **of_all),
        "backlog, one process": partial(drain, size=sizes.backlog, processes=1, **of_all),
        "backlog, two processes": partial(drain, size=sizes.backlog, processes=2, **of_all),
        "overload": partial(
            overload,
            size=sizes.overload,
            width=sizes.width,
            overload_seconds=sizes.overload_seconds,
            retry_after=2,
        ),
    }


def _show(title: str, figures: dict[str, float]) -> None:
    print(f"\n{title}")
    for name, value in figures.items():
        print(f"  {name.replace('_', ' '):20} {value:10.2f}", flush=True)


def main() -> None:
    """Read the sizes and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="the loads whose names begin so")
    parser.add_argument("--crowd", type=int, default=2_000)
    parser.add_argument("--backlog", type=int, default=5_000)
    parser.add_argument("--overload", type=int, default=500)
    parser.add_argument("--overload-seconds", type=float, default=10)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--model-seconds", type=float, default=2.0)
    asyncio.run(_measure(parser.parse_args()))


if __name__ == "__main__":
    main()
