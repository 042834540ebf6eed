"""Updates received a second, from Telegram to the database, beside pgbench."""

from storage.embedded import EmbeddedPostgres
from tests.bench.figures import Figure
from tests.bench.outside import StandIns, standins
from tests.bench.pgbench import TEXT, messages_per_second
from tests.support.postgres import fresh_database
from tests.support.processes import bot_process
from tests.support.waiting import rows_of

FLOOR = 0.2
AT_ONCE = 2000
LONG = 80_000  # nothing is answered meanwhile

# By the database's clock, from the first statement to the last; what the first one stored came
# before the time that is counted.
RATE = """
SELECT CAST(count(*) FILTER (WHERE received_at > bounds.first) /
    EXTRACT(EPOCH FROM max(bounds.last) - max(bounds.first)) AS float) AS per_second
FROM messages, (SELECT min(received_at) AS first, max(received_at) AS last FROM messages) bounds
"""


async def receiving(server: EmbeddedPostgres, *, updates: int, chats: int, seconds: int) -> Figure:
    """Our rate and pgbench's, one after the other on the same server."""
    return Figure(
        name="updates received",
        ours=await _bot(server, updates, chats),
        base=await _pgbench(server, chats, seconds),
        unit="a second",
        at_least=FLOOR,
    )


async def _bot(server: EmbeddedPostgres, updates: int, chats: int) -> float:
    async with fresh_database(server) as dsn, standins() as around:
        await _preload(around, updates, chats)
        environment = around.environment(
            dsn, debounce_quiet_seconds=LONG, debounce_cap_seconds=LONG
        )
        async with bot_process(environment) as bot:
            await around.until(lambda status: status["pending"] == 0)
            await bot.terminate()
        [row] = await rows_of(dsn, RATE)
    return float(row.per_second)


async def _preload(around: StandIns, updates: int, chats: int) -> None:
    said = [{"chat_id": 1 + number % chats, "text": TEXT} for number in range(updates)]
    for start in range(0, updates, AT_ONCE):
        await around.queue(said[start : start + AT_ONCE])


async def _pgbench(server: EmbeddedPostgres, chats: int, seconds: int) -> float:
    async with fresh_database(server) as dsn:
        return await messages_per_second(server, dsn, chats=chats, seconds=seconds)
