"""Who PostgreSQL runs as. It refuses root, so root lends it the account `nobody`."""

import os
import pwd
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from storage.embedded.errors import EmbeddedPostgresError

# Other daemons run as `nobody` too. A group that nothing else has keeps them out of the
# folders, and (as PostgreSQL's processes have it) from tracing its processes. No entry in
# /etc/group is needed; the number is one that neither Debian nor systemd hands out.
PRIVATE_GROUP = 65_527


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int


def server_account() -> Account | None:
    """The account to switch to; None where the server runs as the current user."""
    if os.geteuid() != 0:
        return None
    try:
        return Account(uid=pwd.getpwnam("nobody").pw_uid, gid=PRIVATE_GROUP)
    except KeyError:
        raise EmbeddedPostgresError(
            "PostgreSQL refuses to run as root and there is no account `nobody`: "
            "run as an ordinary user, or set DATABASE_URL"
        ) from None


def barrier(account: Account, path: Path) -> Path | None:
    """The first of the folders above *path*, or *path*, that *account* may not enter or run.

    What does not exist is no barrier.
    """
    for step in (*reversed(path.parents), path):
        if step.exists() and not _may_enter(account, step.stat()):
            return step
    return None


def _may_enter(account: Account, status: os.stat_result) -> bool:
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def launch(
    account: Account | None, command: list[str], *, log: Path, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start one of PostgreSQL's programs, its output appended to *log*.

    It gets a session of its own, so that Ctrl-C at the terminal reaches only the bot, and none
    of the caller's environment, where PGPORT, PGDATA or a locale would change what it does.
    """
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=descriptor,
            stderr=subprocess.STDOUT,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            start_new_session=True,
            umask=0o077,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    finally:
        os.close(descriptor)
