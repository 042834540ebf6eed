"""`onereply demo` with longer waits, so that the play is the same on a machine that stalls."""

from importlib import import_module

from bot.__main__ import cli

LONGER = {
    "bot.demo": {"SILENCE_SECONDS": 9.0},
    "bot.demo.stage": {"QUIET_SECONDS": 4.0, "CAP_SECONDS": 20.0, "MODEL_SECONDS": 4.0},
    "bot.demo.timeline": {"SETTLED_SECONDS": 60.0},
}

if __name__ == "__main__":
    for name, waits in LONGER.items():
        vars(import_module(name)).update(waits)
    cli(["demo"])
