"""A bot that dies by itself at a step, or whose clock is wrong.

python -m tests.support.doomed '{"die": STEP, "passes": HOW OFTEN IT PASSES THERE BEFORE,
    "clock_shift": SECONDS, "clock_jumps_after": SECONDS}'
"""

import asyncio
import json
import os
import signal
import sys

from bot.serving import run_bot
from storage.steps import FaultPoint, no_fault
from tests.support.clock import shift_clock
from tests.support.unhurried import give_time

SENT = ("after record_part", "before postpone_delivery", "before recut")
"""Where it is written down, or clear, what became of a part that was being sent."""

DIED_SENDING = "died while a part was being sent"
"""The last line of whoever dies at his step in that moment."""


def main() -> None:
    """Be that bot."""
    doom = json.loads(sys.argv[1])
    give_time()
    if doom["clock_shift"]:
        shift_clock(doom["clock_shift"], doom["clock_jumps_after"])
    asyncio.run(run_bot(_fault(doom["die"], doom["passes"])))


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
