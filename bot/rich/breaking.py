"""A block that is too long for one message becomes several blocks."""

import re
from collections.abc import Callable, Iterator

from bot import parts
from bot.parts import units
from bot.rich.limits import RICH_COLUMNS, RICH_LEVELS, fits, limit_of
from bot.rich.packing import packed
from bot.rich.plain import DEEPEST, plain
from bot.rich.sound import escaped, fenced
from bot.rich.tree import Node, cells, code_of, fence_of, parsed, slices
from storage.records import Format

_MARK = re.compile(r"\s*([-+*]|\d{1,9}[.)])(?:[ \t]{1,4}|(?=\n)|$)")
_QUOTE_MARK = re.compile(r"^ {0,3}> ?", re.MULTILINE)
_WORD = re.compile(r"\S+\s*|\s+")


def broken(source: str, block: Node, how: Format) -> Iterator[str]:
    """Parts of this one block of the source, each smaller than it, not all yet small enough."""
    breaks: dict[str, Callable[[str, Node, Format], Iterator[str]]] = {
        "CodeBlock": _code,
        "Table": _table,
        "List": _list,
        "BlockQuote": _quotation,
        "Paragraph": _paragraph,
        "Heading": _paragraph,
    }
    if block.kind in breaks and block.depth() <= DEEPEST:
        return breaks[block.kind](source, block, how)
    return words_of(source, how)


def words_of(source: str, how: Format) -> Iterator[str]:
    """The words alone, where no formatting can be kept."""
    limit = limit_of(how).text
    # Each mark may need a backslash before it, which counts in the source only.
    for part in parts.cut(plain(source) or source, limit // 2 if how == "rich" else limit):
        yield escaped(part)


def _code(_source: str, block: Node, how: Format) -> Iterator[str]:
    code, language = code_of(block), fence_of(block) or ""
    around = units(fenced(code, language)) - units(code) if how == "rich" else 0
    for part in parts.cut(code, limit_of(how).text - around):
        yield fenced(part, language)


def _table(source: str, block: Node, how: Format) -> Iterator[str]:
    head, delimiter, *rows = source.strip("\n").splitlines(keepends=True)
    header = head + delimiter
    is_too_wide = how == "rich" and cells(block.children[0]) > RICH_COLUMNS
    if is_too_wide or 2 * units(header) > limit_of(how).text or not fits(header, how):
        yield fenced(source.strip("\n"))
    elif len(rows) > 1:
        half = len(rows) // 2
        yield header + "".join(rows[:half])
        yield header + "".join(rows[half:])
    else:
        yield header
        yield from words_of(" ".join(cell.strip() for cell in rows[0].split("|")), how)


def _list(source: str, block: Node, how: Format) -> Iterator[str]:
    if len(block.children) > 1:
        yield from packed(slices(source, block.children, 0, len(source)), how)
        return
    mark = _MARK.match(source)
    if mark is None:
        yield from words_of(source, how)
        return
    content = re.sub(rf"^ {{1,{mark.end()}}}", "", source[mark.end() :], flags=re.MULTILINE)
    blocks = parsed(content).children
    apart = " " if blocks and blocks[0].kind == "Paragraph" else "\n\n"
    yield _as_words(mark[1]) + apart + content.lstrip("\n")


def _as_words(mark: str) -> str:
    return f"{mark[:-1]}\\{mark[-1]}" if mark[0].isdigit() else "•"


def _quotation(source: str, block: Node, how: Format) -> Iterator[str]:
    inner = _QUOTE_MARK.sub("", source)
    blocks = parsed(inner).children
    if len(blocks) > 1:
        yield from packed([_quoted(each) for each in slices(inner, blocks, 0, len(inner))], how)
    elif not blocks or block.depth() > RICH_LEVELS:
        yield inner
    else:
        for part in broken(inner, blocks[0], how):
            yield _quoted(part) if fits(_quoted(part), how) else part


def _quoted(text: str) -> str:
    return "".join(f"> {line}" for line in text.splitlines(keepends=True))


def _paragraph(source: str, block: Node, how: Format) -> Iterator[str]:
    words = list(_atoms(source, block))
    limit, groups, text, spans = limit_of(how), [""], 0, 0
    for atom, inside in words:
        text, spans = text + units(atom), spans + inside
        if groups[-1] and (text > limit.text or (how == "entities" and spans > limit.pieces)):
            groups.append("")
            text, spans = units(atom), inside
        groups[-1] += atom
    if len(words) <= 1:
        yield from words_of(source, how)
    elif len(groups) == 1:
        half = len(words) // 2
        yield _as_paragraph("".join(atom for atom, _ in words[:half]))
        yield _as_paragraph("".join(atom for atom, _ in words[half:]))
    else:
        yield from map(_as_paragraph, groups)


def _atoms(source: str, block: Node) -> Iterator[tuple[str, int]]:
    """What a line may end after, and how many entities it can have: words, links, formatting."""
    cursor = block.children[0].start if block.children else len(source)
    while cursor > 0 and source[cursor - 1] == "\\":
        cursor -= 1
    for node in block.children:
        atom, cursor = source[cursor : node.end], node.end
        if node.kind == "Text":
            yield from ((word, 0) for word in _WORD.findall(atom))
        else:
            yield atom, 1 + sum(1 for _ in node.everything())


def _as_paragraph(text: str) -> str:
    """Keep the first word from beginning a list, a heading or a fence."""
    text = text.strip()
    if [block.kind for block in parsed(text).children] == ["Paragraph"]:
        return text
    if number := re.match(r"\d{1,9}(?=[.)])", text):
        return f"{number[0]}\\{text[number.end() :]}"
    return f"\\{text}" if text[:1] in set("#>-+*~`=|:_") else text
