"""Markdown as a tree whose nodes know their place in the source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import pyromark
from telegramify_markdown.converter import STANDARD_OPTIONS

# What telegramify parses with: borders are where it sees them.
OPTIONS = STANDARD_OPTIONS

BLOCKS = frozenset(
    {
        "Paragraph",
        "Heading",
        "CodeBlock",
        "BlockQuote",
        "List",
        "Item",
        "Table",
        "TableHead",
        "TableRow",
        "Rule",
    }
)


@dataclass(slots=True)
class Node:
    """A block or an inline span; `value` is what the parser says about it."""

    kind: str
    value: object
    start: int
    end: int
    children: list["Node"] = field(default_factory=list)

    def everything(self) -> Iterator["Node"]:
        """The nodes below this one, in the order of the source."""
        waiting = list(reversed(self.children))
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def depth(self) -> int:
        """How many levels of blocks and formatting there are below this node."""
        deepest, waiting = 0, [(child, 1) for child in self.children]
        while waiting:
            node, level = waiting.pop()
            if node.children or node.kind in BLOCKS:
                deepest = max(deepest, level)
            waiting.extend((child, level + 1) for child in node.children)
        return deepest


@lru_cache(maxsize=16)
def parsed(markdown: str) -> Node:
    """The document, which nobody may change: who looks at the same text again gets the same."""
    at = _characters(markdown)
    document = Node("Document", None, 0, len(markdown))
    open_nodes = [document]
    for event, span in pyromark.events_with_range(markdown, options=OPTIONS):
        kind, value = _kind(event)
        if kind == "End":
            open_nodes.pop()
            continue
        is_open = kind == "Start"
        if is_open:
            kind, value = _kind(value)
        node = Node(kind, value, at[span["start"]], at[span["end"]])
        open_nodes[-1].children.append(node)
        if is_open:
            open_nodes.append(node)
    return document


def cells(row: Node) -> int:
    """How many cells a row of a table has."""
    return sum(child.kind == "TableCell" for child in row.children)


def fence_of(block: Node) -> str | None:
    """What stands behind the opening fence of a block of code; None: it is an indented one."""
    return block.value.get("Fenced") if isinstance(block.value, Mapping) else None


def link_of(node: Node) -> Mapping[str, str]:
    """Where a link or an image leads, as the parser says it."""
    return node.value if isinstance(node.value, Mapping) else {}


def code_of(block: Node) -> str:
    """The code of a block, without its last line end."""
    return "".join(str(child.value) for child in block.children).removesuffix("\n")


def line_start(markdown: str, at: int) -> int:
    """Where the line begins if there is nothing but space before `at`, else `at`."""
    start = markdown.rfind("\n", 0, at) + 1
    return at if markdown[start:at].strip(" \t") else start


def slices(markdown: str, nodes: Sequence[Node], start: int, end: int) -> list[str]:
    """The source from `start` to `end`, cut before each node but the first; nothing is left out."""
    borders = [start, *(line_start(markdown, node.start) for node in nodes[1:]), end]
    return [markdown[border:following] for border, following in pairwise(borders)]


def _kind(tagged: object) -> tuple[str, object]:
    if isinstance(tagged, dict):
        [(kind, value)] = tagged.items()
        return kind, value
    return str(tagged), None


def _characters(text: str) -> Mapping[int, int] | Sequence[int]:
    """From offsets in UTF-8, which the parser gives, to offsets in characters."""
    if text.isascii():
        return range(len(text) + 1)
    offsets, offset = {}, 0
    for index, character in enumerate(text):
        offsets[offset] = index
        offset += len(character.encode())
    offsets[offset] = len(text)
    return offsets
