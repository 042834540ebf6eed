"""The words of a rich message: those of its blocks, without what only formats them."""

from collections.abc import Iterator

from aiogram.types import (
    RichBlockListItem,
    RichBlockTable,
    RichMessage,
    TelegramObject,
)

DEEPEST = 40
"""Levels; what lies below is left out."""
# In the order in which they are read; no block and no text has all of them.
_MEMBERS = (
    "summary",
    "text",
    "expression",
    "alternative_text",
    "blocks",
    "items",
    "button",
    "buttons",
    "caption",
    "credit",
)


def rich_words(message: RichMessage) -> str:
    """A line for each block, item and row."""
    return "\n".join(_lines(message.blocks, DEEPEST))


def _lines(content: object, levels: int) -> Iterator[str]:
    """Of a block, of a list of them, or of a text in one."""
    if levels == 0 or content is None:
        return
    if _is_text(content):
        if words := _text(content, levels).strip():
            yield words
    elif isinstance(content, list):
        for block in content:
            yield from _lines(block, levels - 1)
    elif isinstance(content, TelegramObject):
        yield from _lines_of_block(content, levels - 1)


def _lines_of_block(block: TelegramObject, levels: int) -> Iterator[str]:
    match block:
        case RichBlockTable():
            for row in block.cells:
                yield " | ".join(_text(cell.text, levels).strip() for cell in row)
            yield from _lines(block.caption, levels)
        case RichBlockListItem():
            words = "\n".join(_lines(block.blocks, levels))
            yield f"{block.label} {words}".strip()
        case _:
            for name in _MEMBERS:
                yield from _lines(getattr(block, name, None), levels)


def _text(text: object, levels: int) -> str:
    if isinstance(text, str):
        return text
    if levels == 0 or text is None:
        return ""
    pieces = text if isinstance(text, list) else [getattr(text, name, None) for name in _MEMBERS]
    return "".join(_text(piece, levels - 1) for piece in pieces)


def _is_text(content: object) -> bool:
    pieces = content if isinstance(content, list) else [content]
    return any(
        isinstance(piece, str | list) or type(piece).__name__.startswith("RichText")
        for piece in pieces
    )
