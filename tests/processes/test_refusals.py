"""A process that cannot run says why in one line, and whatever happens no secret is written."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

import aiohttp
import asyncpg

from storage.embedded import EmbeddedPostgres
from tests.support.neighbours import neighbours
from tests.support.postgres import private_server
from tests.support.processes import bot_process
from tests.support.secrets import KEY, PASSWORD, TOKEN, assert_kept

GUARDED_BY_PASSWORDS = """
COPY (VALUES ('local all guarded scram-sha-256'), ('local all all trust')) TO '{hba_file}'
"""


@asynccontextmanager
async def guarded_database() -> AsyncIterator[tuple[EmbeddedPostgres, str]]:
    """A server that asks one of its users for a password, and that user's DSN."""
    async with private_server() as server:
        connection = await asyncpg.connect(server.dsn)
        password = PASSWORD.replace("'", "''")
        await connection.execute(f"CREATE ROLE guarded SUPERUSER LOGIN PASSWORD '{password}'")
        hba_file = await connection.fetchval("SHOW hba_file")
        await connection.execute(GUARDED_BY_PASSWORDS.format(hba_file=hba_file))
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()
        yield server, server.dsn.replace("postgres@", f"guarded:{quote(PASSWORD)}@")


async def test_one_runs_and_the_others_are_refused() -> None:
    port = free_port()
    async with guarded_database() as (server, dsn), neighbours(dsn) as around:
        settings = around.environment(log_level="debug", http_port=port) | {"OPENAI_API_KEY": KEY}
        async with bot_process(settings) as running:
            await running.logged("polling_started")
            await asyncio.gather(
                is_refused(settings, "HTTP_PORT"),
                is_refused(settings | {"TELEGRAM_BOT_TOKEN": TOKEN}, "TELEGRAM_BOT_TOKEN"),
                is_refused(settings | {"TELEGRAM_BOT_TOKEN": "4343:x"}, "DATABASE_URL"),
                is_refused(settings | {"DATABASE_URL": wrong_password(dsn)}, "DATABASE_URL"),
                keeps_secrets_of_what_is_not_there(settings),
            )
            await is_healthy(port)
            around.telegram.say(1, "the model will not know our key")
            [reply] = await around.telegram.wait_for_reply(1)
            assert reply.text.startswith("Sorry")
            await server.stop()
            await running.logged("database_unavailable")
            assert await readiness(port) == 503
            await server.join()
            await around.telegram.stop()
            await running.logged("polling_failed")
            assert await running.terminate() == 0
        assert_kept(running)


async def is_refused(settings: dict[str, str], name: str) -> None:
    async with bot_process(settings) as process:
        assert await process.ended() == 2
    [line] = [line for line in process.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith(f"{name}: ")
    assert_kept(process)


async def keeps_secrets_of_what_is_not_there(settings: dict[str, str]) -> None:
    nowhere = {"DATABASE_URL": f"postgresql://bot:{quote(PASSWORD)}@127.0.0.1:1/bot"}
    async with bot_process(settings | nowhere | {"HTTP_PORT": "0"}) as process:
        await process.logged("database_unavailable", 2)
        assert await process.terminate() == 0
    assert_kept(process)


async def is_healthy(port: int) -> None:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as http:
        async with http.get("/healthz") as answer:
            assert answer.status == 200
        async with http.get("/readyz") as answer:
            assert answer.status == 200
            assert (await answer.json())["polling"] is True


async def readiness(port: int) -> int:
    url = f"http://127.0.0.1:{port}/readyz"
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status


def wrong_password(dsn: str) -> str:
    return dsn.replace(quote(PASSWORD), quote(f"{PASSWORD} not"))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
