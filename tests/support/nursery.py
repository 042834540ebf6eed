"""Processes in milliseconds: one parent has imported everything, which takes seconds, and forks.

    python -m tests.support.nursery SOCKET      (spoken to by `tests.support.forked`)

An order is one message on the socket that was inherited under that number: which module to run
as `python -m` would, its arguments, environment and folder, and three files: for what it prints,
for what it logs, and for its exit status, which is written as a number once it has ended. The
answer is its pid.
"""

import ctypes
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
from importlib import import_module
from typing import Any

import bot

PR_SET_PDEATHSIG = 1  # prctl(2), Linux
MOST_BYTES = 1 << 20


def main() -> None:
    """Serve until nobody is at the other end; the children do not outlive it."""
    _import_everything()
    orders = socket.socket(fileno=int(sys.argv[1]))
    fates: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _reap(fates))
    orders.send(b"ready")
    while True:
        message, files, *_ = socket.recv_fds(orders, MOST_BYTES, 3)
        if not message:
            break
        out, err, fate = files
        # The end of a child must not be told before its beginning.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if pid == 0:
            for file in (orders.detach(), fate, *fates.values()):
                os.close(file)
            return _become(json.loads(message), out, err)
        os.close(out)
        os.close(err)
        fates[pid] = fate
        orders.send(str(pid).encode())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for pid in list(fates):
        os.kill(pid, signal.SIGKILL)
    return None


def _import_everything() -> None:
    for module in pkgutil.walk_packages(bot.__path__, "bot."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.freeze()


def _reap(fates: dict[int, int]) -> None:
    while fates:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        fate = fates.pop(pid)
        os.write(fate, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(fate)


def _become(order: dict[str, Any], out: int, err: int) -> None:
    # The parent may be killed before it can end us.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for ours, theirs in ((out, 1), (err, 2)):
        os.dup2(ours, theirs)
        os.close(ours)
    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = [order["module"], *order["arguments"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
