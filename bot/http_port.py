"""The port on which a process answers, and whether it can be had."""

import socket
from errno import EINVAL

from bot.settings import Settings

EVERYWHERE = "0.0.0.0"  # noqa: S104
"""Probes come from the network."""


def is_asked_for(settings: Settings) -> bool:
    """Whether somebody chose the port. If not, another will do."""
    return "http_port" in settings.model_fields_set


def why_not_listen(port: int) -> int:
    """The number of the error that listening there would meet; 0: none."""
    try:
        socket.create_server((EVERYWHERE, port)).close()
    except OSError as error:
        return error.errno or EINVAL
    return 0
