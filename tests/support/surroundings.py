"""Where the processes of the tests run, and with which environment."""

import os
from pathlib import Path

from bot.settings import Settings

ROOT = Path(__file__).parents[2]


def surroundings() -> dict[str, str]:
    """This process's environment without anything that a bot would take for a setting."""
    ours = {name.upper() for name in Settings.model_fields}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("PG", "OPENAI"))
    }
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
