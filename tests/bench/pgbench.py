"""The receiving SQL without the bot: pgbench sends one message per call."""

import asyncio
import re
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

from storage.embedded import EmbeddedPostgres
from storage.messages import RECEIVE

CLIENTS, THREADS = 16, 2
TEXT = "a message of some length, as people write them"

# What the bot binds; arrays of one element, and no `now` of its own.
BOUND = {
    ":chat_ids": "ARRAY[:chat]",
    ":thread_ids": "ARRAY[0]",
    ":message_ids": "ARRAY[:message]",
    ":texts": "ARRAY[:text]",
    ":attachments": "ARRAY[NULL]",
    ":sent_ats": "ARRAY[NULL]",
    ":quiets": "ARRAY['0s']",
    ":now": "NULL",
}


async def messages_per_second(
    server: EmbeddedPostgres, dsn: str, *, chats: int, seconds: int
) -> float:
    """How many messages a second the database takes when nothing else has to be done."""
    with tempfile.TemporaryDirectory(prefix="onereply-") as folder:
        script = Path(folder) / "receive.sql"
        script.write_text(receive_script(chats))
        process = await asyncio.create_subprocess_exec(
            *(str(server.bin_dir / "pgbench"), "--no-vacuum", f"--file={script}"),
            *(f"--client={CLIENTS}", f"--jobs={THREADS}", f"--time={seconds}"),
            *("--protocol=prepared", f"--define=text={TEXT}"),
            *("--define=quiet=80000s", "--define=cap=80000s", dsn),
            stdout=PIPE,
            stderr=PIPE,
        )
        try:
            out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    found = re.search(rb"^tps = ([\d.]+)", out, re.MULTILINE)
    if process.returncode != 0 or found is None:
        raise RuntimeError(f"pgbench failed: {err.decode()}")
    return float(found[1])


def receive_script(chats: int) -> str:
    """`RECEIVE` as pgbench reads it, for a message of its own to one of so many chats."""
    sql = re.sub(r"^--.*\n", "", RECEIVE, flags=re.MULTILINE)
    for name, variable in BOUND.items():
        sql = re.sub(rf"(?<!:){name}\b", variable, sql)
    return f"\\set chat random(1, {chats})\n\\set message random(1, 2000000000)\n{sql.strip()};\n"
