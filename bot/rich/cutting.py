"""Long Markdown becomes several messages, cut where its blocks end."""

from collections.abc import Iterator

from bot import parts
from bot.rich.breaking import broken, words_of
from bot.rich.entities import render
from bot.rich.limits import fits
from bot.rich.packing import packed
from bot.rich.plain import DEEPEST, plain
from bot.rich.sound import sound
from bot.rich.tree import parsed, slices
from storage.records import Format


def cut(markdown: str, how: Format) -> list[str]:
    """Cut Markdown into pieces that one message takes each, in every one something to see.

    A piece ends where a block ends. A block that is too long ends at a line, a row, an item or a
    word, and goes on as a block of its kind: code in a fence with its language, a table below its
    header. For plain text the pieces are the words, ready to be sent.
    """
    if how == "plain":
        return parts.cut(plain(markdown) or markdown)
    pieces = [piece for piece in _pieces(sound(markdown), how) if _shows(piece, how)]
    if not pieces and parts.is_visible(markdown):
        return list(words_of(markdown, how))
    return pieces


def verbatim(markdown: str, how: Format) -> list[str]:
    """The same, but plain text is what the model wrote, its marks included."""
    return parts.cut(markdown) if how == "plain" else cut(markdown, how)


def _shows(piece: str, how: Format) -> bool:
    return parts.is_visible(render(piece)[0] if how == "entities" else plain(piece))


def _pieces(markdown: str, how: Format, level: int = 0) -> Iterator[str]:
    text = markdown.strip("\n")
    if fits(text, how):
        yield text
        return
    blocks = parsed(text).children
    if not blocks or level > DEEPEST:
        yield from words_of(text, how)
        return
    if len(blocks) == 1:
        smaller = broken(text, blocks[0], how)
    else:
        smaller = packed(slices(text, blocks, 0, len(text)), how)
    for part in smaller:
        yield from _pieces(part, how, level + 1)
