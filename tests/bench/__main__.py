"""`python -m tests.bench`: measure everything, print the table, and fail outside a bound."""

import argparse
import asyncio
import sys
from dataclasses import dataclass

from tests.bench.answering import answering
from tests.bench.event_log import event_log
from tests.bench.figures import Figure, table
from tests.bench.first_words import first_words
from tests.bench.receiving import receiving
from tests.bench.side_by_side import side_by_side
from tests.bench.starting import starting
from tests.support.postgres import make_template, private_server

LIMIT_SECONDS = 300
"""For each measurement: one that hangs ends with an error."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything."""

    updates: int = 20_000
    chats: int = 2_000
    pgbench_seconds: int = 5
    log_statements: int = 400
    bursts: int = 1_500
    starts: int = 3
    stories: int = 15
    talkers: int = 50
    bursts_each: int = 3
    model_seconds: float = 2.0


QUICK = Sizes(
    updates=500,
    chats=50,
    pgbench_seconds=1,
    log_statements=20,
    bursts=50,
    starts=1,
    stories=1,
    talkers=5,
    bursts_each=1,
    model_seconds=0.5,
)


async def measure(sizes: Sizes) -> list[Figure]:
    """One measurement after the other, on one server."""
    figures: list[Figure] = []
    async with private_server() as server:
        await make_template(server)
        async with asyncio.timeout(LIMIT_SECONDS):
            figures.append(
                await receiving(
                    server,
                    updates=sizes.updates,
                    chats=sizes.chats,
                    seconds=sizes.pgbench_seconds,
                )
            )
        async with asyncio.timeout(LIMIT_SECONDS):
            figures.append(
                await event_log(server, chats=sizes.chats, statements=sizes.log_statements)
            )
        async with asyncio.timeout(LIMIT_SECONDS):
            figures.append(await answering(server, bursts=sizes.bursts))
        async with asyncio.timeout(LIMIT_SECONDS):
            figures.append(await starting(server, times=sizes.starts))
        async with asyncio.timeout(LIMIT_SECONDS):
            figures.append(await first_words(server, bursts=sizes.stories))
        async with asyncio.timeout(LIMIT_SECONDS):
            figures += await side_by_side(
                server,
                chats=sizes.talkers,
                bursts=sizes.bursts_each,
                model_seconds=sizes.model_seconds,
            )
    return figures


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the benchmark")
    sizes = QUICK if parser.parse_args().quick else Sizes()
    figures = asyncio.run(measure(sizes))
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
