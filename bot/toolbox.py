"""The tools that the settings name."""

from bot.settings import Settings, SettingsError
from coordination.tools.toolbox import Toolbox, ToolboxError, load


def toolbox(settings: Settings) -> Toolbox:
    """Load them.

    Raises:
        SettingsError: one of the modules cannot be used.
    """
    try:
        return load(settings.tools)
    except ToolboxError as error:
        raise SettingsError(f"TOOLS: {error}") from None
