"""Bursts answered a second by a model that takes no time, beside the two SDKs alone."""

import asyncio
import sys

from storage.embedded import EmbeddedPostgres
from tests.bench.figures import Figure
from tests.bench.outside import KEY, TOKEN, StandIns, standins
from tests.support.postgres import fresh_database
from tests.support.processes import bot_process
from tests.support.surroundings import ROOT, surroundings

FLOOR = 0.4
AT_ONCE = 64


async def answering(server: EmbeddedPostgres, *, bursts: int) -> Figure:
    """Our rate and the SDKs', one after the other against the same stand-ins."""
    async with standins() as around:
        ours = await _bot(server, around, bursts)
        base = await _sdks(around, bursts)
    return Figure("bursts answered", ours, "a second", base=base, at_least=FLOOR)


async def _bot(server: EmbeddedPostgres, around: StandIns, bursts: int) -> float:
    said = [{"chat_id": number, "text": f"question {number}"} for number in range(1, bursts + 1)]
    await around.queue(said)
    async with fresh_database(server) as dsn:
        environment = around.environment(
            dsn,
            debounce_quiet_seconds=0.2,
            debounce_cap_seconds=1,
            max_concurrent_replies=AT_ONCE,
        )
        async with bot_process(environment) as bot:
            await around.until(lambda status: status["sent"] >= bursts)
            await bot.terminate()
    return _rate(await around.sent_at())


async def _sdks(around: StandIns, bursts: int) -> float:
    since = (await around.status())["sent"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.sdks", around.telegram, around.model),
        *(TOKEN, KEY, str(bursts), str(AT_ONCE)),
        cwd=ROOT,
        env=surroundings(),
    )
    try:
        if await process.wait() != 0:
            raise RuntimeError("the SDKs alone failed")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _rate(await around.sent_at(since))


def _rate(times: list[float]) -> float:
    return (len(times) - 1) / (max(times) - min(times))
