"""python -m tests.chaos: one run, its figures, and exit code 1 if anything is wrong."""

import argparse
import asyncio
import json
import logging
import sys
import time
from random import SystemRandom

from tests.chaos.checks import all_wrong
from tests.chaos.figures import figures
from tests.chaos.report import MOST_SHOWN, keep
from tests.chaos.run import run
from tests.chaos.schedule import Plan, Schedule

BURSTS_PER_MINUTE = 360
KILLS_PER_MINUTE = 30


def main() -> None:
    """Play one schedule."""
    asked = _arguments()
    plan = Plan(
        seed=asked.seed,
        seconds=asked.minutes * 60,
        chats=asked.chats,
        processes=asked.processes,
        kills=round(asked.minutes * KILLS_PER_MINUTE) if asked.kills is None else asked.kills,
        bursts=round(asked.minutes * BURSTS_PER_MINUTE) if asked.bursts is None else asked.bursts,
        away=asked.away,
    )
    schedule = Schedule(plan)
    print(f"{plan} (schedule {schedule.fingerprint})", flush=True)
    if asked.show:
        print(*schedule.happenings, sep="\n")
        return
    # The stand-ins' server complains of each client that was killed.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    began = time.monotonic()
    evidence = asyncio.run(run(plan, schedule))
    wrong = all_wrong(evidence)
    for name, value in figures(plan, evidence).items():
        print(f"{name:28} {value:>10,}")
    print(f"{'seconds in all':28} {time.monotonic() - began:>10,.0f}")
    print("", *evidence.accounts.worst, "", sep="\n")
    print(json.dumps({"seed": plan.seed, "wrong": len(wrong), **figures(plan, evidence)}))
    print(f"{len(wrong)} things are wrong", *wrong[:MOST_SHOWN], sep="\n  ")
    if wrong or asked.keep:
        folder = keep(evidence, schedule, wrong)
        print(f"all of it, with rows and logs, is in {folder}; seed {plan.seed} plays it again")
    sys.exit(1 if wrong else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000))
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--kills", type=int, help=f"{KILLS_PER_MINUTE} a minute unless given")
    parser.add_argument("--bursts", type=int, help=f"{BURSTS_PER_MINUTE} a minute unless given")
    parser.add_argument("--away", choices=("database", "telegram"), help="for a minute")
    parser.add_argument("--keep", action="store_true", help="keep the evidence in any case")
    parser.add_argument("--show", action="store_true", help="only print the schedule")
    return parser.parse_args()


if __name__ == "__main__":
    main()
