"""The server's log, quoted where something failed."""

from pathlib import Path

from storage.embedded.errors import EmbeddedPostgresError

QUOTED_LINES = 15


def log_size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def failure(what: str, log: Path, start: int) -> EmbeddedPostgresError:
    """An error with the last lines that were written after the first *start* bytes of *log*."""
    lines = log.read_bytes()[start:].decode(errors="replace").splitlines()
    return EmbeddedPostgresError("\n".join([f"{what}; {log} says:", *lines[-QUOTED_LINES:]]))
