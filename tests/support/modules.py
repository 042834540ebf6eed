"""A module of this project, run as somebody runs it by hand."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE

from tests.support.processes import ROOT


async def run_module(*arguments: str, **environment: str) -> tuple[int | None, str, str]:
    """`python -m` with these arguments, to its end: the exit code, the output and the errors."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *arguments),
        cwd=ROOT,
        env=os.environ | environment,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return process.returncode, out.decode(), err.decode()
