"""The tables, by what they are for. Each key of a conversation's begins with the conversation."""

from storage.tables import conversations, edge, effects, log, people
from storage.tables.base import metadata

__all__ = ["conversations", "edge", "effects", "log", "metadata", "people"]
