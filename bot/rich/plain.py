"""Markdown as plain text: the words without the marks that only format them."""

from collections.abc import Callable

from bot.rich.sound import sound
from bot.rich.tree import Node, code_of, link_of, parsed

DEEPEST = 60
"""Nobody means more levels, and each takes some of the interpreter's stack."""
RULE = "————————"


def plain(markdown: str) -> str:
    """The words; code is kept as it is, and links say where they lead."""
    document = parsed(sound(markdown))
    return markdown if document.depth() > DEEPEST else _below(document).strip("\n")


def _below(node: Node) -> str:
    """The blocks of a document, a quotation or an item, or the words of a block."""
    pieces: list[str] = []
    for child in node.children:
        if child.kind in _BLOCKS:
            words = _BLOCKS[child.kind](child)
            apart = "\n" if node.kind == "Item" else "\n\n"
            pieces += [apart, words] if pieces else [words]
        else:
            pieces.append(inline(child))
    return "".join(pieces)


def _list(node: Node) -> str:
    number = node.value if isinstance(node.value, int) else None
    lines = []
    for item in node.children:
        mark = "-" if number is None else f"{number}."
        number = None if number is None else number + 1
        words = _below(item).replace("\n", "\n" + " " * (len(mark) + 1))
        lines.append(f"{mark} {words}")
    return "\n".join(lines)


def _table(node: Node) -> str:
    return "\n".join(" | ".join(_below(cell) for cell in row.children) for row in node.children)


_BLOCKS: dict[str, Callable[[Node], str]] = {
    "Paragraph": _below,
    "Heading": _below,
    "BlockQuote": _below,
    "CodeBlock": code_of,
    "List": _list,
    "Table": _table,
    "Rule": lambda _node: RULE,
}


def inline(node: Node) -> str:
    """The words of a span; a link says where it leads."""
    match node.kind:
        case "SoftBreak" | "HardBreak":
            return "\n"
        case "TaskListMarker":
            return "[x] " if node.value else "[ ] "
        case "Link" | "Image":
            words, leads_to = _below(node), link_of(node)["dest_url"]
            is_said = words in (leads_to, leads_to.removeprefix("mailto:")) or not leads_to
            return words if is_said else f"{words} ({leads_to})".lstrip()
        case _:
            return _below(node) if node.children else str(node.value or "")
