"""What one message takes in each format.

https://core.telegram.org/bots/api#rich-message-limits and #sendmessage
"""

from dataclasses import dataclass
from typing import assert_never

from bot.parts import MESSAGE_LIMIT, units
from bot.rich.entities import render
from bot.rich.tree import BLOCKS, cells, parsed
from storage.records import Format

RICH_LIMIT = 32_768
RICH_BLOCKS = 500
RICH_LEVELS = 16
RICH_COLUMNS = 20
ENTITIES = 100
NO_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Size:
    """What a piece of Markdown takes up: text, then blocks or entities, levels and columns."""

    text: int = 0
    pieces: int = 0
    levels: int = 0
    columns: int = 0

    def with_next(self, other: "Size") -> "Size":
        """No less than the size of both, one after the other."""
        return Size(
            # Between them there may be more line ends than in the source.
            self.text + other.text + 2,
            self.pieces + other.pieces,
            max(self.levels, other.levels),
            max(self.columns, other.columns),
        )

    def is_within(self, limit: "Size") -> bool:
        return (
            self.text <= limit.text
            and self.pieces <= limit.pieces
            and self.levels <= limit.levels
            and self.columns <= limit.columns
        )


def limit_of(how: Format) -> Size:
    match how:
        case "rich":
            return Size(RICH_LIMIT, RICH_BLOCKS, RICH_LEVELS, RICH_COLUMNS)
        case "entities":
            return Size(MESSAGE_LIMIT, ENTITIES, NO_LIMIT, NO_LIMIT)
        case "plain":
            return Size(MESSAGE_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT)
    assert_never(how)


def size_of(markdown: str, how: Format) -> Size:
    match how:
        case "rich":
            return _as_blocks(markdown)
        case "entities":
            text, entities = render(markdown)
            return Size(units(text), len(entities))
        case "plain":
            return Size(units(markdown))
    assert_never(how)


def fits(markdown: str, how: Format) -> bool:
    return size_of(markdown, how).is_within(limit_of(how))


def _as_blocks(markdown: str) -> Size:
    document = parsed(markdown)
    nodes = list(document.everything())
    rows = [cells(node) for node in nodes if node.kind == "TableHead"]
    return Size(
        units(markdown),
        sum(node.kind in BLOCKS for node in nodes),
        document.depth(),
        max(rows, default=0),
    )
