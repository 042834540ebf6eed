"""Making the cluster, PostgreSQL's data, on first use."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from storage.embedded.account import Account, launch
from storage.embedded.folders import DataFolder
from storage.embedded.locks import POLL_SECONDS
from storage.embedded.log import failure, log_size

DATABASE = "onereply"
UNFINISHED = "cluster.unfinished-"


async def make_cluster(
    folder: DataFolder, bin_dir: Path, account: Account | None, *, durable: bool
) -> None:
    """Make the cluster unless it exists. Needs the startup lock.

    The name `cluster` is given last: what a kill cut short keeps its other name. Each attempt
    has one of its own, as the initdb of a killed process may still be writing.
    """
    if folder.cluster.exists():
        return
    for leftover in folder.path.glob(f"{UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder.path))
    if account:
        os.chown(unfinished, account.uid, account.gid)
    await _run(folder, account, _initdb(bin_dir, unfinished, durable))
    # With the cluster nobody else sees yet, rather than later through a connection.
    single_user = [
        *(str(bin_dir / "postgres"), "--single", "-D", str(unfinished)),
        *(() if durable else ("-F",)),
        "template1",
    ]
    await _run(folder, account, single_user, stdin=f"CREATE DATABASE {DATABASE}\n")
    _give_name(unfinished, folder.cluster)


def _initdb(bin_dir: Path, cluster: Path, durable: bool) -> list[str]:
    return [
        str(bin_dir / "initdb"),
        f"--pgdata={cluster}",
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        # Built into PostgreSQL: sorts the same whatever locales the machine has.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        *(() if durable else ("--no-sync",)),
    ]


async def _run(
    folder: DataFolder, account: Account | None, command: list[str], *, stdin: str = ""
) -> None:
    start = log_size(folder.log)
    process = launch(account, command, log=folder.log, stdin=subprocess.PIPE)
    try:
        if process.stdin:
            process.stdin.write(stdin.encode())
            process.stdin.close()
        while process.poll() is None:  # noqa: ASYNC110 - no loop owns it
            await asyncio.sleep(POLL_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise failure(f"PostgreSQL's {Path(command[0]).name} failed", folder.log, start)


def _give_name(unfinished: Path, cluster: Path) -> None:
    unfinished.rename(cluster)
    descriptor = os.open(cluster.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
