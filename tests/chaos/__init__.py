"""Chaos: processes die and freeze, clocks, the database and the neighbours fail, people write on.

    python -m tests.chaos [--seed N] [--minutes M] [--chats N] [--processes N] [--kills N]
    make chaos CHAOS="--seed 7"

The bots are real processes with real signals, on a PostgreSQL of their own; Telegram and the model
are stand-ins in this process, which nobody kills. When the schedule is over, all faults end, and
everything must be answered. Then the tables are audited and compared with what was written and
with what people saw (`checks`, `sights`).

What a seed decides, and what not. The whole schedule is computed from the seed before anything
starts (`--show` prints it): who writes what and when, which process gets which signal when and
what its successor is like, which switch goes on when, for how long and how often it strikes,
when the database fails and how, how long the model takes over a prompt and how long its answer
is. Where in its work a process is at such a moment is up to the machine, and so is the order in
which processes, connections and statements come to their turn; nor is the bot's own jitter
seeded. A seed makes a failure likely again, not certain: its evidence is kept in a folder.
"""
