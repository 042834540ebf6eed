"""Markdown made safe: nothing in it is dropped or hidden by whoever renders it."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

import pyromark

from bot.rich.tree import OPTIONS, Node, cells, code_of, fence_of, link_of, parsed

_VERBATIM = ("CodeBlock", "Code", "InlineMath", "DisplayMath")
_TAG = re.compile(r"(?<!\\)(?<!\]\()((?:\\\\)*)<(?=[A-Za-z/!?])")
# Two bars hide what is between them, which is more often a disjunction or an empty cell.
_BARS = re.compile(r"(?<!\\)\|{2,}")
# What opens a formula is never inside another of its kind: without that, a text of openings that
# nothing closes would be read to its end for each of them.
_INLINE_OPENS, _DISPLAY_OPENS = r"(?<!\\)\\\(", r"(?<!\\)\\\["
_INLINE = re.compile(rf"{_INLINE_OPENS}((?:(?!\n[ \t]*\n|{_INLINE_OPENS})[^$])*?)\\\)")
_DISPLAY = re.compile(rf"{_DISPLAY_OPENS}((?:(?!\n[ \t]*\n|{_DISPLAY_OPENS})[^$])*?)\\\]")
_LIKE_A_FORMULA = re.compile(r"[\\^_={}]")
# Without ( ) and ], whose backslash would begin or end a formula.
_PUNCTUATION = re.compile(r"[!-'*-/:-@\[\\^-`{-~]")
_LABEL = re.compile(r"^((?:[ \t>*+-]|\d+[.)][ \t])*)\[([^\]]+\]:)", re.MULTILINE)
_LONGEST_LANGUAGE = 64
_ATTRIBUTES = re.compile(r"[={\[:\"]")
# Python takes more for the end of a line than Markdown does, and Telegram drops \r.
_LINE_END = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")


@lru_cache(maxsize=64)
def sound(markdown: str) -> str:
    """The same words in Markdown that neither Telegram nor a renderer can lose; idempotent."""
    text = markdown.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _LINE_END.sub("\n", text)
    for step in (_formulas, _definitions, _empty_cells, _tags, _bars, _odd_blocks):
        text = step(text)
    return text


def escaped(words: str) -> str:
    """Markdown that reads as these words."""
    text = _PUNCTUATION.sub(r"\\\g<0>", words)
    return re.sub(r"^[^\S\n]+", "", text, flags=re.MULTILINE)


def fenced(code: str, language: str = "") -> str:
    """A block of code, with a fence that the code does not close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language.replace('`', '')}\n{code}\n{mark}"


def _formulas(text: str) -> str:
    if "\\(" not in text and "\\[" not in text:
        return text
    kept = _nodes(text, *_VERBATIM, "Link", "Image")
    return _outside(text, kept, lambda piece: _INLINE.sub(_inline, _DISPLAY.sub(_display, piece)))


def _inline(found: re.Match[str]) -> str:
    return f"${found[1].strip()}$" if _LIKE_A_FORMULA.search(found[1]) else found[0]


def _display(found: re.Match[str]) -> str:
    return f"$${found[1].strip()}$$" if _LIKE_A_FORMULA.search(found[1]) else found[0]


def _definitions(text: str) -> str:
    """Let links say themselves where they lead, and definitions be words."""
    definitions = pyromark.reference_definitions(text, options=OPTIONS)
    if not definitions:
        return text
    changes = {}
    for node in _nodes(text, "Link", "Image"):
        shown = text[node.start : node.end]
        match link_of(node)["link_type"]:
            case "Reference" | "Collapsed":
                shown = shown[: shown.rfind("[")]
            case "Shortcut":
                pass
            case _:
                continue
        changes[node.start, node.end] = f"{shown}(<{link_of(node)['dest_url']}>)"
    data = text.encode()
    for definition in definitions.values():
        start = len(data[: definition["span"]["start"]].decode())
        changes[start, start] = "\\"
    # Of several definitions of one label the parser tells the first only.
    text = changed(text, changes)
    return _outside(text, _nodes(text, *_VERBATIM), lambda piece: _LABEL.sub(r"\1\\[\2", piece))


def _empty_cells(text: str) -> str:
    if "||" not in text:
        return text
    changes = {
        (table.start, table.end): _BARS.sub(
            lambda bars: " ".join(bars[0]), text[table.start : table.end]
        )
        for table in _nodes(text, "Table")
    }
    return changed(text, changes)


def _tags(text: str) -> str:
    if "<" not in text:
        return text
    links = [node for node in _nodes(text, "Link") if text[node.start] == "<"]
    kept = [*_nodes(text, *_VERBATIM), *links]
    return _outside(text, kept, lambda piece: _TAG.sub(r"\1\\<", piece))


def _bars(text: str) -> str:
    if "||" not in text:
        return text
    return _outside(
        text,
        _nodes(text, *_VERBATIM),
        lambda piece: _BARS.sub(lambda bars: "\\|" * len(bars[0]), piece),
    )


def _odd_blocks(text: str) -> str:
    """Close the last fence, and show tables whose rows have too many cells as they are written."""
    changes = {}
    for node in parsed(text).children:
        source = text[node.start : node.end]
        if node.kind == "CodeBlock" and (info := fence_of(node)) is not None:
            if _is_no_language(info):
                changes[node.start, node.end] = fenced(f"{info}\n{code_of(node)}") + "\n"
            elif node.end == len(text) and not _is_closed(source):
                changes[node.start, node.end] = fenced(code_of(node), info)
        elif node.kind == "Table" and _loses_cells(node, source):
            changes[node.start, node.end] = fenced(source.rstrip("\n")) + "\n"
    return changed(text, changes)


def _is_no_language(info: str) -> bool:
    """Whether it is words that began beside the fence; attributes may follow a language."""
    is_said = len(info.split()) > 1 and not _ATTRIBUTES.search(info)
    return is_said or len(info) > _LONGEST_LANGUAGE


def _is_closed(source: str) -> bool:
    opening = re.match(r"\s*(`{3,}|~{3,})", source)
    _, is_another_line, last = source.rstrip().rpartition("\n")
    closing = rf" {{0,3}}{opening[1][0]}{{{len(opening[1])},}}" if opening else ""
    return bool(opening and is_another_line and re.fullmatch(closing, last))


def _loses_cells(table: Node, source: str) -> bool:
    columns = cells(table.children[0])
    rows = source.splitlines()[2:]
    return any(len(re.findall(r"(?<!\\)\|", row.strip().strip("|"))) >= columns for row in rows)


def _nodes(text: str, *kinds: str) -> list[Node]:
    return [node for node in parsed(text).everything() if node.kind in kinds]


def _outside(text: str, nodes: Iterable[Node], rewrite: Callable[[str], str]) -> str:
    """Rewrite what none of these nodes covers."""
    pieces, cursor = [], 0
    for node in sorted(nodes, key=lambda each: each.start):
        if node.start >= cursor:
            pieces += [rewrite(text[cursor : node.start]), text[node.start : node.end]]
            cursor = node.end
    return "".join([*pieces, rewrite(text[cursor:])])


def changed(text: str, changes: dict[tuple[int, int], str]) -> str:
    """Put something instead of each span; those within another one stay."""
    pieces, cursor = [], 0
    for (start, end), instead in sorted(changes.items()):
        if start >= cursor:
            pieces += [text[cursor:start], instead]
            cursor = end
    return "".join([*pieces, text[cursor:]])
