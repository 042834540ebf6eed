"""A name for this process by which its successor can prove that it is dead."""

import os
import platform
from pathlib import Path
from uuid import uuid4

_START_TIME_FIELD = 22  # proc(5), "starttime"


def this_process() -> str:
    """Return `host/pid/boot/namespace/start`: unique, and checkable by `is_dead` on this machine.

    Where there is no /proc, the last three are a random word, and nothing can be proved.
    """
    host = platform.node().replace("/", "_") or "unknown"
    pid = os.getpid()
    here = _where_pids_mean_the_same()
    started = _started(pid)
    proof = f"{here}/{started}" if here and started else f"{uuid4().hex}/-/-"
    return f"{host}/{pid}/{proof}"


def is_dead(holder: str) -> bool:
    """True only if the process of that name ran under this kernel and pid namespace, and is gone.

    A stopped process is alive; one on another machine, in another container or before a reboot
    is unknown, and unknown is not dead.
    """
    try:
        _host, number, boot, namespace, started = holder.split("/")
        pid = int(number)
    except ValueError:
        return False
    if f"{boot}/{namespace}" != _where_pids_mean_the_same():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    now_started = _started(pid)
    return now_started is not None and now_started != started


def _where_pids_mean_the_same() -> str | None:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = Path("/proc/self/ns/pid").readlink().name
    except OSError:
        return None
    return f"{boot}/{namespace.removeprefix('pid:[').removesuffix(']')}"


def _started(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name, field 2, may hold spaces and parentheses.
    return stat.rpartition(")")[2].split()[_START_TIME_FIELD - 3]
