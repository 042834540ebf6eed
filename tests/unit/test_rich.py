"""Ugly Markdown loses no word, whatever it is cut for, and Telegram takes every piece."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parts import units
from bot.rich.cutting import cut
from bot.rich.entities import render
from bot.rich.limits import fits
from bot.rich.plain import plain
from bot.rich.sound import sound
from bot.rich.tree import parsed
from storage.records import Format
from tests.support.searching import search

FORMATS: tuple[Format, ...] = ("rich", "entities", "plain")
WORD = re.compile(r"w\d+q")
FENCE = "```"
EMOJI = "👩‍👩‍👧 😀"
LONG = "lorem ipsum dolor sit amet " * 40


def shown(piece: str, how: Format) -> str:
    """What a reader sees of it."""
    match how:
        case "rich":
            return plain(piece)
        case "entities":
            return render(piece)[0]
        case "plain":
            return piece


def words_seen(markdown: str, how: Format) -> list[str]:
    """The marked words in the order of reading, what is repeated above a table left out."""
    seen = " ".join(shown(piece, how) for piece in cut(markdown, how))
    return list(dict.fromkeys(WORD.findall(seen)))


def assert_proper(text: str, entities: Sequence[object]) -> None:
    open_ends: list[int] = []
    for entity in entities:
        start, length = entity.offset, entity.length  # type: ignore[attr-defined]
        assert 0 <= start < start + length <= units(text)
        text.encode("utf-16-le")[2 * start : 2 * (start + length)].decode("utf-16-le")
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or start + length <= open_ends[-1], "they cross"
        open_ends.append(start + length)


def assert_sendable(markdown: str, how: Format) -> None:
    for piece in cut(markdown, how):
        assert fits(piece, how)
        assert shown(piece, how).strip()
        if how == "entities":
            assert_proper(*render(piece))
        if how != "plain":
            last = parsed(f"{piece}\n\nthe end").children[-1]
            assert last.kind == "Paragraph", "a fence is left open"


inline = st.sampled_from(
    [
        "W", "**W**", "*W W*", "***W* W**", "~~W~~", "`W`", "``W ` W``", "[W](http://x.org/a_(b))",
        "![W](http://x.org/i.png)", "List<W>", "<b>W</b>", "<!-- W -->", "W || W || W", "$W^2$",
        r"\(W_{1}\)", "W &lt; W", r"\*W\*", "~W", "*W", "**W", "[W", "[W][W]", "שלום W", "مرحبا W",
        EMOJI, "W\\", "_W_W_", "<https://x.org/W>", "$5 W $6", "W\nW", "W  \nW", "[W]: W", LONG,
    ]
)  # fmt: skip
lines = st.lists(inline, min_size=1, max_size=12).map(" ".join)
leaves = st.one_of(
    lines,
    st.builds("{} {}".format, st.sampled_from(["#", "###", "######"]), lines),
    st.builds(
        "{0}{1}\n{2}\n{0}".format,
        st.sampled_from([FENCE, "~~~", "````"]),
        st.sampled_from(["", "python", "c++"]),
        st.lists(st.sampled_from(["W", "  W = <W>", "", "W || \\(W^2\\)", LONG]), max_size=40).map(
            "\n".join
        ),
    ),
    st.builds(
        lambda width, rows: "\n".join(
            ["| W " * width + "|", "|---" * width + "|", *["| **W** " * width + "|"] * rows]
        ),
        st.integers(1, 24),
        st.integers(0, 60),
    ),
    st.just("---"),
    st.just("    W\n    W"),
)


def nested(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(blocks, min_size=1, max_size=5)
    return st.one_of(
        several.map(lambda each: "\n".join(f"- {indented(block, 2)}" for block in each)),
        several.map(lambda each: "\n\n".join(f"3. {indented(block, 3)}" for block in each)),
        several.map(lambda each: "> " + "\n\n".join(each).replace("\n", "\n> ")),
    )


def indented(block: str, by: int) -> str:
    return block.replace("\n", "\n" + " " * by)


documents = st.lists(st.recursive(leaves, nested, max_leaves=5), min_size=1, max_size=5).map(
    "\n\n".join
)
scraps = st.lists(
    st.sampled_from(
        [*"*_`~#>-+|[]()<>$\\!:=&\n ", "\n\n", FENCE, "    ", "a", "b1", "1.", "||", "\t", EMOJI]
    ),
    max_size=80,
).map("".join)  # fmt: skip


def numbered(markdown: str) -> str:
    """Each W becomes a word of its own."""
    count = iter(range(10**6))
    return re.sub(r"W", lambda _: f"w{next(count)}q", markdown)


@pytest.mark.parametrize("how", FORMATS)
@search(25)
@given(document=documents)
def test_no_word_is_lost_and_every_piece_fits(how: Format, document: str) -> None:
    markdown = numbered(document)
    assert words_seen(markdown, how) == WORD.findall(markdown)
    assert_sendable(markdown, how)


@pytest.mark.parametrize("how", FORMATS)
@search(100)
@given(scrap=scraps)
def test_scraps_of_markup_can_be_sent(how: Format, scrap: str) -> None:
    assert_sendable(scrap, how)
    assert sound(sound(scrap)) == sound(scrap)


@search(15)
@given(document=documents)
def test_what_is_cut_anew_keeps_every_word(document: str) -> None:
    markdown = numbered(document)
    for how, then in (("rich", "entities"), ("rich", "plain"), ("entities", "plain")):
        again = "\n\n".join(cut(markdown, how))  # type: ignore[arg-type]
        assert words_seen(again, then) == WORD.findall(markdown)  # type: ignore[arg-type]
