"""What models write, and what becomes of it in each format."""

import re

import pytest

from bot.parts import units
from bot.rich.cutting import cut, verbatim
from bot.rich.entities import render
from bot.rich.limits import ENTITIES, RICH_LIMIT, fits
from bot.rich.plain import plain
from bot.rich.sound import sound
from bot.rich.tree import code_of, fence_of, parsed
from storage.records import Format

LINE = "    total += List<String>.size();  // || 1\n"
ROW = "| **key** | some value |\n"
HEADER = "| Key | Value |\n|:--|--:|\n"


def formats(markdown: str) -> list[tuple[str, str]]:
    """What is formatted, and how."""
    text, entities = render(markdown)
    data = text.encode("utf-16-le")
    return [
        (entity.type, data[2 * entity.offset :][: 2 * entity.length].decode("utf-16-le"))
        for entity in entities
    ]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# Title", "Title"),
        ("a List<String> b", "a List<String> b"),
        ("1 < 2 <b>bold</b> <!-- note -->", "1 < 2 <b>bold</b> <!-- note -->"),
        ("x || y || z", "x || y || z"),
        (r"\(a^2 + \frac{1}{2}\) costs $5 or $6", "a² + ½ costs $5 or $6"),
        ("- a\n  - b\n    1. c", "• a\n  • b\n    1. c"),
        ("- [x] done", "✅ done"),
        ("[1]: http://x.org\n\nsee [1]", "[1]: http://x.org\n\nsee 1"),
        ("3. - [a]: b", "3. \n  • [a]: b"),
        ("*שלום* עולם", "שלום עולם"),
        ("| [a](http://x.org) |\n|---|", "a (http://x.org)"),
        ("| a | b |\n|---|---|\n| 1 || 3 |", "| a | b |\n|---|---|\n| 1 | | 3 |"),
        ("5 * 3 * 2 snake_case_name", "5 * 3 * 2 snake_case_name"),
    ],
)
def test_the_text_with_entities(markdown: str, text: str) -> None:
    assert render(markdown)[0] == text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("😀 **b** *i* `c`", [("bold", "b"), ("italic", "i"), ("code", "c")]),
        ("~~s~~", [("strikethrough", "s")]),
        ("**a `b`**", [("bold", "a b"), ("code", "b")]),
        ("> a\n> > b", [("blockquote", "a\nb")]),
        ("```py\n😀 x\n```\nafter", [("pre", "😀 x")]),
        ("| a |\n|---|\n| b |", [("pre", "a\n-\nb")]),
    ],
)
def test_what_the_entities_cover(markdown: str, expected: list[tuple[str, str]]) -> None:
    assert formats(markdown) == expected


def test_a_link_with_parentheses_leads_where_it_says() -> None:
    text, [entity] = render("see [Ada](https://x.org/Ada_(language)).")
    assert (text, entity.url) == ("see Ada.", "https://x.org/Ada_(language)")


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# **Big** *title*", "Big title"),
        ("see [Ada](https://x.org/a_(b))", "see Ada (https://x.org/a_(b))"),
        ("<https://x.org>", "https://x.org"),
        ("```py\n**x** = <y>\n```", "**x** = <y>"),
        ("- a\n  - b\n\n3. c", "- a\n  - b\n\n3. c"),
        ("| a | b |\n|---|---|\n| `1` | 2 |", "a | b\n1 | 2"),
        ("> quoted", "quoted"),
        ("a &amp; b \\* c", "a & b * c"),
    ],
)
def test_plain_text_has_the_words(markdown: str, text: str) -> None:
    assert plain(markdown) == text
    assert cut(markdown, "plain") == [text]


def test_plain_text_may_stay_as_the_model_wrote_it() -> None:
    assert verbatim("**a** <b>", "plain") == ["**a** <b>"]
    assert verbatim("a <b>", "rich") == ["a \\<b>"]


@pytest.mark.parametrize("how", ["rich", "entities", "plain"])
@pytest.mark.parametrize("blank", ["", " \n\t ", "\n" * 5000, "\u200b"])
def test_a_blank_answer_has_no_pieces(blank: str, how: Format) -> None:
    assert cut(blank, how) == []


@pytest.mark.parametrize("how", ["rich", "entities", "plain"])
@pytest.mark.parametrize("marks", ["#", "[](x)", "```\n```", "**", "> "])
def test_nothing_but_marks_is_shown_as_it_is(marks: str, how: Format) -> None:
    assert cut(marks, how)


@pytest.mark.parametrize("how", ["rich", "entities"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_code_that_is_cut_stays_code_of_its_language(how: Format, is_closed: bool) -> None:
    code = LINE * (10_000 // len(LINE) if how == "entities" else 50_000 // len(LINE))
    pieces = cut("Look:\n\n```java\n" + code + "```" * is_closed, how)
    blocks = [block for piece in pieces for block in parsed(piece).children][1:]
    assert len(blocks) > 1
    assert {(block.kind, fence_of(block)) for block in blocks} == {("CodeBlock", "java")}
    assert "\n".join(map(code_of, blocks)).split() == code.split()


@pytest.mark.parametrize("how", ["rich", "entities"])
def test_each_piece_of_a_table_has_the_header(how: Format) -> None:
    pieces = cut(HEADER + ROW * 2000, how)
    assert len(pieces) > 1
    assert all(piece.startswith(HEADER) for piece in pieces)
    assert sum(piece.count(ROW.strip()) for piece in pieces) == 2000


def test_a_table_too_wide_for_rich_text_is_shown_as_it_is_written() -> None:
    table = "\n".join(["|a" * 21 + "|", "|-" * 21 + "|", "|b" * 21 + "|"])
    assert cut(table, "rich") == [f"```\n{table}\n```"]
    assert cut(table, "entities") == [table]


def test_a_list_is_cut_between_its_items() -> None:
    pieces = cut("\n".join(f"{number}. {'word ' * 30}" for number in range(1, 101)), "entities")
    assert len(pieces) > 1
    numbers = re.findall(r"^(\d+)\. ", "\n".join(render(each)[0] for each in pieces), re.MULTILINE)
    assert numbers == [str(number) for number in range(1, 101)]


def test_200_links_are_shared_out() -> None:
    links = " ".join(f"[link{number}](https://x.org/{number})" for number in range(200))
    found = [entity.url for piece in cut(links, "entities") for entity in render(piece)[1]]
    assert found == [f"https://x.org/{number}" for number in range(200)]
    assert all(len(render(piece)[1]) <= ENTITIES for piece in cut(links, "entities"))


@pytest.mark.parametrize("levels", [10, 17, 40, 3000])
@pytest.mark.parametrize("how", ["rich", "entities", "plain"])
def test_quotations_may_be_as_deep_as_they_like(levels: int, how: Format) -> None:
    pieces = cut(f"before\n\n{'> ' * levels}deep inside\n\nafter", how)
    assert all(fits(piece, how) for piece in pieces)
    words = " ".join(plain(piece) for piece in pieces)
    assert re.findall(r"[a-z]+", words) == ["before", "deep", "inside", "after"]


def test_a_short_answer_is_left_as_it_is() -> None:
    answer = "# A\n\nb **c**\n\n- d\n  - e\n\n```py\nf\n```\n"
    assert cut(answer, "rich") == [answer.strip()]
    assert cut(answer, "entities") == [answer.strip()]


@pytest.mark.parametrize("length", [10_000, 40_000])
def test_pieces_are_as_few_as_may_be(length: int) -> None:
    paragraph = "The quick *brown* fox jumps over the lazy dog. " * 10 + "\n\n"
    answer = paragraph * (length // len(paragraph))
    assert len(cut(answer, "rich")) == -(-len(answer) // RICH_LIMIT)
    assert all(units(render(piece)[0]) > 3500 for piece in cut(answer, "entities")[:-1])


@pytest.mark.parametrize(
    "markdown",
    ["a List<String>", "x || y", "[1]: http://x.org\n\nsee [1]", "```py\nopen", r"\(x^2\)"],
)
def test_what_is_made_safe_stays_so(markdown: str) -> None:
    assert sound(sound(markdown)) == sound(markdown) != markdown
