"""A rich message of Telegram's in words."""

import pytest
from aiogram.types import RichMessage

from bot.inbound.rich_words import DEEPEST, rich_words

BOLD: dict[str, object] = {"type": "bold", "text": "bold"}
PARAGRAPH: dict[str, object] = {
    "type": "paragraph",
    "text": ["some ", BOLD, [" and ", {"type": "code", "text": "c"}]],
}
CELL: dict[str, object] = {"align": "left", "valign": "top"}


def words(*blocks: dict[str, object]) -> str:
    return rich_words(RichMessage.model_validate({"blocks": blocks}))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"type": "paragraph", "text": " words "}, "words"),
        (PARAGRAPH, "some bold and c"),
        ({"type": "paragraph", "text": BOLD}, "bold"),
        ({"type": "heading", "text": "Title", "size": 1}, "Title"),
        ({"type": "pre", "text": "a\n  b", "language": "python"}, "a\n  b"),
        ({"type": "blockquote", "blocks": [PARAGRAPH], "credit": "Ada"}, "some bold and c\nAda"),
        ({"type": "details", "summary": "More", "blocks": [PARAGRAPH]}, "More\nsome bold and c"),
        ({"type": "mathematical_expression", "expression": "a^2"}, "a^2"),
        ({"type": "divider"}, ""),
        (
            {"type": "list", "items": [{"label": "1.", "blocks": [PARAGRAPH]}]},
            "1. some bold and c",
        ),
        (
            {"type": "table", "cells": [[{**CELL, "text": "a"}, CELL, {**CELL, "text": BOLD}]]},
            "a |  | bold",
        ),
    ],
)
def test_each_block_in_words(block: dict[str, object], said: str) -> None:
    assert words(block) == said
    assert words(block, PARAGRAPH).endswith("some bold and c")


def test_what_is_nested_too_deep_is_left_out() -> None:
    block: dict[str, object] = {"type": "paragraph", "text": "deep"}
    for _ in range(DEEPEST):
        block = {"type": "blockquote", "blocks": [block]}
    assert words({"type": "paragraph", "text": "shallow"}, block) == "shallow"
