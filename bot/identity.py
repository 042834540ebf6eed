"""A name for this process by which its successor can prove that it is dead."""

import os
import platform
from pathlib import Path
from uuid import uuid4

# proc(5): fields of /proc/<pid>/stat
_STATE_FIELD = 3
_START_TIME_FIELD = 22
_DEAD_STATES = "ZXx"


def this_process() -> str:
    """Return `host/pid/boot/namespace/start`: unique, and checkable by `is_dead` on this machine.

    Where there is no /proc, the last three are a random word, and nothing can be proved.
    """
    host = platform.node().replace("/", "_") or "unknown"
    pid = os.getpid()
    here = _where_pids_mean_the_same()
    stat = _stat(pid)
    proof = f"{here}/{stat[_START_TIME_FIELD]}" if here and stat else f"{uuid4().hex}/-/-"
    return f"{host}/{pid}/{proof}"


def host_and_pid(holder: str | None) -> str:
    """What of such a name helps a person to find the process."""
    return "/".join((holder or "somebody").split("/")[:2])


def is_dead(holder: str) -> bool:
    """True only if the process of that name ran under this kernel and pid namespace, and is gone.

    A stopped process is alive, one whose parent has not yet looked after it (a zombie) is not;
    one on another machine, in another container or before a reboot is unknown, and unknown is
    not dead.
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
    stat = _stat(pid)
    if stat is None:
        return False
    return stat[_START_TIME_FIELD] != started or stat[_STATE_FIELD] in _DEAD_STATES


def _where_pids_mean_the_same() -> str | None:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = Path("/proc/self/ns/pid").readlink().name
        # A /proc mounted from elsewhere numbers the processes in its own way.
        is_ours = Path("/proc/self").readlink().name == str(os.getpid())
    except OSError:
        return None
    number = namespace.removeprefix("pid:[").removesuffix("]")
    return f"{boot}/{number}" if is_ours else None


def _stat(pid: int) -> dict[int, str] | None:
    """The fields after the command's name by their numbers; None where they cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name, field 2, may hold spaces and parentheses.
    return dict(enumerate(stat.rpartition(")")[2].split(), start=_STATE_FIELD))
