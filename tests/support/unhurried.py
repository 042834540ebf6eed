"""A bot that has longer for the last of its hand-overs: a busy machine gets to them late."""

from bot import app

LAST_GRACE_SECONDS = 6.0


def give_time() -> None:
    """Let this process be such a bot."""
    app.LAST_GRACE_SECONDS = LAST_GRACE_SECONDS
