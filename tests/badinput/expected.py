"""Which updates may come to nothing, told from their JSON alone."""

from typing import Any

from tests.badinput.updates import KINDS

ANSWERED = ("message",)
TOLD = ("channel_post", "my_chat_member")
NOTICES = ("pinned_message", "message_auto_delete_timer_changed")


def may_be_ignored(update: Any) -> bool:
    """True for what the bot never asked for, and for messages that say nothing."""
    if not isinstance(update, dict):
        return False
    if isinstance(message := update.get("message"), dict):
        return _says_nothing(message)
    return any(isinstance(update.get(kind), dict) for kind in KINDS if kind not in ANSWERED)


def _says_nothing(message: dict[str, Any]) -> bool:
    if message.get("text") == "":
        return True
    return not message.get("text") and any(message.get(notice) for notice in NOTICES)
