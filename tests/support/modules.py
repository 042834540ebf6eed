"""A module of this project, run as somebody runs it by hand."""

import asyncio
import os

from tests.support.forked import fork_and_listen
from tests.support.surroundings import ROOT


async def run_module(module: str, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """`python -m` with these arguments, to its end: the exit code, the output and the errors."""
    process, *readers = await fork_and_listen(
        module, *arguments, environment=os.environ | environment, folder=ROOT
    )
    try:
        texts = await asyncio.gather(*(reader.read() for reader in readers))
        code = await process.wait()
    finally:
        process.kill()
        await process.wait()
    return code, texts[0].decode(), texts[1].decode()
