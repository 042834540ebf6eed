"""A command as it was written."""

import re
from dataclasses import dataclass

from aiogram.types import Message

WRITTEN = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@(\w+))?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """`/name@mention argument`."""

    name: str
    mention: str | None
    argument: str


def asked(message: Message) -> Asked | None:
    """The command that the message is, in any case; what was forwarded is somebody else's."""
    if message.forward_origin is not None:
        return None
    written = WRITTEN.fullmatch(message.text or "")
    return Asked(written[1].lower(), written[2], (written[3] or "").strip()) if written else None
