"""How fast the bot is, beside what the same machine can do without it: `python -m tests.bench`.

Only ratios count: both numbers of a ratio come from one run on one machine. The smoke test in the
suite runs it with small sizes and judges no speed.
"""
