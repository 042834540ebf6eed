"""Bot processes in milliseconds: one parent has imported everything and forks a child per bot.

    python -m tests.support.nursery      (spoken to by `tests.support.forked`)

A line of JSON on standard input asks for a child: its environment, the file of its log, if it is
to die by itself the step at which and how often it passes there before, and by how many seconds
its clock is wrong, from when on. A line on standard output tells its pid, and another one its
exit status.
"""

import asyncio
import ctypes
import json
import os
import signal
import sys
from typing import Any

import bot.app  # noqa: F401 (imported once, for all children)
from bot.serving import run_bot
from storage.steps import FaultPoint, no_fault
from tests.support.clock import shift_clock

PR_SET_PDEATHSIG = 1  # prctl(2), Linux

SENT = ("after record_part", "before postpone_delivery", "before recut")
"""Where it is written down, or clear, what became of a part that was being sent."""

DIED_SENDING = "died while a part was being sent"
"""The last line of whoever dies at his step in that moment."""


def main() -> None:
    """Serve until standard input ends; the children do not outlive it."""
    children: set[int] = set()
    signal.signal(signal.SIGCHLD, lambda *_: _reap(children))
    _tell({"ready": True})
    while line := _next_line():
        order = json.loads(line)
        # The end of a child must not be told before its beginning.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if pid == 0:
            _be_a_bot(order)
        children.add(pid)
        _tell({"name": order["name"], "pid": pid})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for pid in list(children):
        os.kill(pid, signal.SIGKILL)


def _next_line() -> str:
    # os.read, unlike a buffered file, leaves nothing behind for a child to inherit.
    line = b""
    while not line.endswith(b"\n"):
        if not (byte := os.read(0, 1)):
            return ""
        line += byte
    return line.decode()


def _reap(children: set[int]) -> None:
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        children.discard(pid)
        _tell({"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _tell(what: dict[str, Any]) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def _be_a_bot(order: dict[str, Any]) -> None:
    # The parent may be killed before it can end us.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    try:
        if order["clock_shift"]:
            shift_clock(order["clock_shift"], order["clock_jumps_after"])
        asyncio.run(run_bot(_fault(order["die"], order["passes"])))
        code = 0
    except BaseException:  # noqa: BLE001 (nothing may return into the parent's code)
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stderr.flush()
    os._exit(code)


def _fault(die: str | None, passes: int) -> FaultPoint:
    if die is None:
        return no_fault
    left, sending = passes, False

    async def die_there(where: str) -> None:
        nonlocal left, sending
        sending = where == "before send_message" or (sending and where not in SENT)
        if where == die:
            if left == 0:
                os.write(2, DIED_SENDING.encode() if sending else b"")
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    return die_there


if __name__ == "__main__":
    main()
