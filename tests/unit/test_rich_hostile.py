"""Markdown that nobody in their right mind writes."""

import re
from time import process_time

import pytest

from bot.rich.cutting import cut
from bot.rich.plain import plain
from bot.rich.sound import sound
from storage.records import Format

MANY = 10_000
MOST_SECONDS = 5.0


@pytest.mark.parametrize("opening", ["\\( ", "\\[ a_b "])
def test_formulas_that_nothing_closes_take_no_time(opening: str) -> None:
    begun = process_time()
    sound(opening * MANY)
    assert process_time() - begun < MOST_SECONDS, "the event loop stands still meanwhile"


@pytest.mark.parametrize("end", ["\r", "\r\n", "\v", "\f", "\x85", "\u2028"])
@pytest.mark.parametrize("how", ["rich", "entities", "plain"])
def test_no_word_is_lost_whatever_ends_the_lines(end: str, how: Format) -> None:
    rows = "".join(f"|w{number}||more{end}" for number in range(1000))
    shown = " ".join(plain(piece) for piece in cut(f"|a|b|c|\n|-|-|-|\n{rows}", how))
    assert set(re.findall(r"w\d+", shown)) == {f"w{number}" for number in range(1000)}


def test_words_beside_an_opening_fence_are_code_and_no_language() -> None:
    assert sound("```Roses are red\nviolets\n```") == "```\nRoses are red\nviolets\n```\n"
    for info in ("python", 'python title="a.py"', "js {1,3}"):
        assert sound(f"```{info}\nx\n```") == f"```{info}\nx\n```"


def test_a_formula_begins_at_the_last_opening_before_its_end() -> None:
    assert sound("a \\( b, but \\(x_1\\)") == "a \\( b, but $x_1$"


def test_space_between_the_rows_of_a_formula_opens_none() -> None:
    assert sound("\\[a_1 \\\\[2pt] b_1\\]") == "$$a_1 \\\\[2pt] b_1$$"
