"""The bot's own commands."""

OWN = ("start", "help", "stop", "reset", "retry", "settings", "privacy", "export", "forget")
