"""Long texts are cut where a reader would, and lose nothing but whitespace at the cuts."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parts import cut
from tests.support.searching import search

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1e9\U0001f1ea"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
CHARACTERS = {
    "emoji": "😀",
    "family": FAMILY,
    "flag": FLAG,
    "flag of tags": SCOTLAND,
    "skin tone": "👋🏽",
    "keycap": "1\ufe0f\u20e3",
    "accents": "e\u0301\u0323",
    "Hebrew with points": "שִׁ",
    "Devanagari conjunct": "क्षि",
    "decomposed Hangul": "\u1112\u1161\u11ab",
}
INVISIBLE = ("Cc", "Cf")
LOREM = "The quick brown fox jumps over the lazy dog. "

pieces = st.one_of(
    st.text(),
    st.text(alphabet="ab \n\t"),
    st.sampled_from(
        [*CHARACTERS.values(), "\n\n", "\r\n", "שלום עולם", "مرحبا", "\u3000", "\ud83d"]
    ),
    st.integers(1, 60).map(lambda length: "x" * length),
)
texts = st.lists(pieces, max_size=40).map("".join)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def letters(text: str) -> str:
    return "".join(each for each in text if not each.isspace() and category(each) not in INVISIBLE)


@search(100)
@given(text=texts, limit=st.integers(2, 80))
def test_parts_fit_are_not_blank_and_lose_no_letter(text: str, limit: int) -> None:
    parts = cut(text, limit)
    assert all(0 < units(part) <= limit and part.strip() for part in parts)
    assert letters("".join(parts)) == letters(text)


@search(100)
@given(text=texts, limit=st.integers(2, 80))
def test_every_part_but_the_last_is_half_full(text: str, limit: int) -> None:
    """Half of the code points that fit, which are one unit or two each: a quarter of the units."""
    assert all(units(part) >= limit // 4 for part in cut(letters(text), limit)[:-1])


def test_short_text_is_left_as_it_is() -> None:
    assert cut(" Hello\n\n  there ") == [" Hello\n\n  there "]


@pytest.mark.parametrize("blank", ["", " \n\t ", "\n" * 5000, " " * 5000])
def test_blank_text_has_no_parts(blank: str) -> None:
    assert cut(blank) == []


def test_limit_is_telegrams_and_in_utf16_units() -> None:
    assert cut("a" * 4096) == ["a" * 4096]
    assert [len(part) for part in cut("a" * 4097)] == [4096, 1]
    assert [len(part) for part in cut("😀" * 2049)] == [2048, 1]
    assert [len(part) for part in cut("a" + "😀" * 2048)] == [2048, 1]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two\n\nsix\nten of", ["one two", "six\nten of"]),
        ("one two\nsix ten of", ["one two", "six ten of"]),
        ("one two six ten of", ["one two six", "ten of"]),
        ("one\n\ntwo six ten of", ["one\n\ntwo six", "ten of"]),
        ("abcdefghijklmnopqr", ["abcdefghijkl", "mnopqr"]),
        ("I abcdefghijklmnopqr", ["I abcdefghij", "klmnopqr"]),
        ("word and 10\u00a0000 items", ["word and", "10\u00a0000 items"]),
        ("one two\nsix.\n\nand more", ["one two\nsix.", "and more"]),
        ("def f(x):\n    return x + 1", ["def f(x):", "    return x", "+ 1"]),
        ("lots of\r\n\r\n\n \nspace there", ["lots of", "space there"]),
    ],
    ids=[
        "paragraph",
        "line",
        "word",
        "paragraph too early",
        "characters",
        "word too early",
        "no-break space",
        "break right at the limit",
        "indentation kept",
        "blank lines dropped",
    ],
)
def test_where_a_part_ends(text: str, parts: list[str]) -> None:
    assert cut(text, 12) == parts


@pytest.mark.parametrize("character", CHARACTERS.values(), ids=CHARACTERS)
@pytest.mark.parametrize("shift", range(12))
def test_no_cut_inside_what_a_reader_sees_as_one_character(character: str, shift: int) -> None:
    parts = cut("x" * shift + character * 200, 100)
    assert len(parts) > 1
    assert all(set(part.lstrip("x").split(character)) == {""} for part in parts)


def test_marks_piled_without_end_are_cut_all_the_same() -> None:
    assert [len(part) for part in cut("e" + "\u0301" * 250, 100)] == [100, 100, 51]
    assert [len(part) for part in cut("ab" + "\u0301" * 130, 60)] == [60, 60, 12]


@pytest.mark.parametrize(
    "piece",
    [LOREM, "x", "😀", FAMILY, FLAG, " ", "\n", "a\n", "x \n", "e" + "\u0301" * 300, "שלום "],
)
def test_200_kilobytes(piece: str) -> None:
    """A cut of quadratic cost would hold up the whole suite here."""
    text = piece * (200_000 // len(piece))
    parts = cut(text)
    assert letters("".join(parts)) == letters(text)
    assert all(units(part) <= 4096 for part in parts)
