"""A process that uses the embedded server in a folder until its standard input closes."""

import asyncio
import sys
from pathlib import Path

from storage import embedded


async def use(data_dir: Path) -> None:
    server = await embedded.start(data_dir, durable=False)
    print(server.dsn, flush=True)  # noqa: T201 - tells the test that it has joined
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(use(Path(sys.argv[1])))
