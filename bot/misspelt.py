"""Names in `.env` that are no settings: most likely slips of the pen. Never their values."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from pydantic_settings import DotEnvSettingsSource

from bot.settings import Settings

# What stands before an = need not be a name, but may be a line of a secret that was pasted. Base64
# may end in =, so a name needs a value.
NAME = re.compile(r"[a-z_][a-z0-9_]*")


def misspelt() -> Iterator[str]:
    """A line for each; none if the file cannot be read, which loading it says."""
    try:
        written = DotEnvSettingsSource(Settings).env_vars
    except (OSError, UnicodeDecodeError):
        return
    for name, value in written.items():
        has_value = bool((value or "").strip("="))
        if name not in Settings.model_fields and has_value and NAME.fullmatch(name):
            nearest = get_close_matches(name, Settings.model_fields, n=1)
            hint = f": is it {nearest[0].upper()}?" if nearest else ""
            yield f"{name.upper()} in .env is not a setting{hint}"
