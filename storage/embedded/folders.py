"""The folders of an embedded server: where they are, who may enter them, what is in them."""

import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from storage.embedded.account import Account, barrier
from storage.embedded.errors import EmbeddedPostgresError

ROOT_HOME = Path("/var/lib/onereply")
SHARED_FOLDER = Path("/tmp")  # noqa: S108 - ownership of what is used in it is checked
SOCKET_NAME = ".s.PGSQL.5432"
# sun_path holds 104 bytes on macOS, 108 on Linux, with the closing zero.
MAX_SOCKET_PATH_BYTES = 103


@dataclass(frozen=True)
class DataFolder:
    """The data folder: the cluster, the locks and the log of one server."""

    path: Path

    @property
    def cluster(self) -> Path:
        return self.path / "cluster"

    @property
    def log(self) -> Path:
        return self.path / "postgres.log"

    @property
    def startup_lock(self) -> Path:
        return self.path / "startup.lock"

    @property
    def users_lock(self) -> Path:
        return self.path / "users.lock"

    @property
    def socket(self) -> Path:
        """The folder of the socket: inside, unless clients could not address it there."""
        inside = self.path / "socket"
        length = len(os.fsencode(inside / SOCKET_NAME))
        # A comma or a colon would be taken for a list of hosts or a port.
        if length <= MAX_SOCKET_PATH_BYTES and re.fullmatch(r"[\w./ +-]+", str(inside), re.ASCII):
            return inside
        return SHARED_FOLDER / f"onereply-{_digest(self.path)}"


def default_data_dir(checkout: Path | None = None) -> Path:
    """Where local mode keeps its database when EMBEDDED_DATA_DIR is not set.

    `.onereply/postgres` in the checkout (by default the current folder). For root a folder in
    /var/lib/onereply, named after the checkout: root's home is private, and PostgreSQL, which
    refuses root, could not enter a folder there.
    """
    checkout = (checkout or Path.cwd()).resolve()
    if os.geteuid() != 0:
        return checkout / ".onereply" / "postgres"
    return ROOT_HOME / f"{checkout.name or 'root'}-{_digest(checkout)[:8]}"


def open_data_folder(path: Path, account: Account | None) -> DataFolder:
    """Make what is missing of the data folder and check that *account* can use it."""
    folder = DataFolder(path.expanduser().resolve())
    if account:
        _check_way(account, folder.path.parent)
    make_folder(folder.path, account)
    if account:
        _check_way(account, folder.path)
    return folder


def _check_way(account: Account, path: Path) -> None:
    if blocked := barrier(account, path):
        raise EmbeddedPostgresError(
            f"PostgreSQL refuses to run as root, and the account `nobody` may not enter {blocked}: "
            f"set EMBEDDED_DATA_DIR to a folder outside it, such as {ROOT_HOME / 'data'}"
        )


def open_socket_folder(folder: DataFolder, account: Account | None) -> None:
    make_folder(folder.socket, account, mode=0o770 if account else 0o700)


def make_folder(path: Path, account: Account | None, *, mode: int | None = None) -> None:
    """Make *path* with its parents, or check that the existing one is safe to use.

    Only folders made here get permissions set: the last one lets in nobody but us and
    *account*, its parents (where *account* has to pass) anybody.
    """
    missing = [step for step in path.parents if not step.exists()]
    for step in reversed(missing):
        _make(step, 0o755 if account else None)
    with _alone_in(path.parent):
        if _make(path, mode or (0o710 if account else 0o700)) and account:
            os.chown(path, -1, account.gid)
    _check(path)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    # Two processes may make the same folder: neither must see it before it is the group's.
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make(path: Path, mode: int | None) -> bool:
    try:
        path.mkdir(mode or 0o777)
    except FileExistsError:
        return False
    if mode:
        path.chmod(mode)  # mkdir heeds the umask
    return True


def _check(path: Path) -> None:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise EmbeddedPostgresError(f"{path} is not a folder: set EMBEDDED_DATA_DIR to one")
    if status.st_uid != os.geteuid():
        raise EmbeddedPostgresError(
            f"{path} belongs to another user (uid {status.st_uid}): "
            "set EMBEDDED_DATA_DIR to a folder of your own"
        )
    if status.st_mode & stat.S_IWOTH:
        raise EmbeddedPostgresError(f"{path} can be written by anybody: chmod o-w it")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
