"""The postmaster, PostgreSQL's first process: found, started and stopped."""

import asyncio
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from storage.embedded.account import Account, launch
from storage.embedded.errors import EmbeddedPostgresError
from storage.embedded.folders import SOCKET_NAME, DataFolder
from storage.embedded.locks import POLL_SECONDS
from storage.embedded.log import failure, log_size

# Recovery after a crash reads back whatever was written since the last checkpoint.
START_SECONDS = 120.0
STOP_SECONDS = 60.0


@dataclass(frozen=True)
class PidFile:
    """What a postmaster says of itself in postmaster.pid."""

    pid: int
    socket: Path
    status: str

    def listener(self) -> int | None:
        """The process that listens on the socket, 0 for one we cannot see; None if there is none.

        It cannot be mistaken, unlike the number in the file: after a crash of the machine that
        may be anybody's.
        """
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket))
            except OSError:
                return None
            if sys.platform != "linux":
                return self.pid
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("3i", credentials)[0])

    def serves(self) -> bool:
        return self.status == "ready" and self.listener() is not None

    def exists(self) -> bool:
        """Whether a process of this number exists that may be a postmaster of ours."""
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        try:
            name = Path(f"/proc/{self.pid}/comm").read_text().strip()
        except OSError:
            return True  # no /proc here
        return name == "postgres"


def read_pid_file(cluster: Path) -> PidFile | None:
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return None
    # Pid, data folder, start time, port, socket folder, TCP address, shared memory, status.
    lines += [""] * (8 - len(lines))
    if not lines[0].isdigit():
        return None
    return PidFile(int(lines[0]), Path(lines[4]) / SOCKET_NAME, lines[7].strip())


async def find_postmaster(folder: DataFolder) -> PidFile | None:
    """The server that runs on *folder*, waited for until it is ready. Needs the startup lock."""
    deadline = time.monotonic() + START_SECONDS
    while found := read_pid_file(folder.cluster):
        if found.serves():
            return found
        if not found.exists():
            # Left by a crash. PostgreSQL would take a stranger of that number for itself.
            (folder.cluster / "postmaster.pid").unlink(missing_ok=True)
            return None
        if time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"PostgreSQL in {folder.path} (process {found.pid}) does not get ready: "
                f"look into {folder.log}"
            )
        await asyncio.sleep(POLL_SECONDS)
    return None


async def start_postmaster(
    folder: DataFolder, bin_dir: Path, account: Account | None, *, durable: bool
) -> PidFile:
    """Start a server and wait until it is ready. Needs the startup lock."""
    start = log_size(folder.log)
    command = [str(bin_dir / "postgres"), "-D", str(folder.cluster), *_options(folder, durable)]
    process = launch(account, command, log=folder.log)
    # Whoever may stop it, it is our child: without this it would remain as a zombie.
    threading.Thread(target=process.wait, daemon=True).start()
    ready = None
    try:
        ready = await _readiness(process, folder.cluster)
    finally:
        if ready is None:
            await _quit(process)
    if ready is None:
        # One that a killed process had just launched may have come first.
        ready = await find_postmaster(folder)
    if ready is None:
        raise failure(f"PostgreSQL did not start in {folder.path}", folder.log, start)
    return ready


async def _readiness(process: subprocess.Popen[bytes], cluster: Path) -> PidFile | None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        found = read_pid_file(cluster)
        if found and found.pid == process.pid and found.serves():
            return found
        await asyncio.sleep(POLL_SECONDS)
    return None


async def _quit(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        # Not SIGKILL: the postmaster has to take its children along.
        process.send_signal(signal.SIGQUIT)
        await asyncio.sleep(POLL_SECONDS)


def _options(folder: DataFolder, durable: bool) -> list[str]:
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder.socket),
        "max_connections": "200",
        "shared_buffers": "128MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_checkpoints": "off",
    }
    if not durable:
        # What was committed still outlives a crash of PostgreSQL: the kernel has it.
        settings |= {"fsync": "off", "full_page_writes": "off"}
    return [f"--{name}={value}" for name, value in settings.items()]


async def stop_postmaster(folder: DataFolder, how: signal.Signals) -> None:
    """Stop the server on *folder*, if one runs. Needs the startup lock.

    SIGINT shuts down in good order, SIGQUIT at once, leaving recovery to the next start.
    """
    found = read_pid_file(folder.cluster)
    if found is None or found.listener() != found.pid:
        return
    os.kill(found.pid, how)
    deadline = time.monotonic() + STOP_SECONDS
    while read_pid_file(folder.cluster) is not None and found.exists():
        if time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"PostgreSQL (process {found.pid}) does not stop: look into {folder.log}"
            )
        await asyncio.sleep(POLL_SECONDS)
