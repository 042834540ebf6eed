"""Every language says everything, with the same values to fill in."""

import re

import pytest
from fluent.syntax import FluentParser, ast

from bot.words import FALLBACK, Words, texts

LANGUAGES = sorted(texts())


def messages(language: str) -> dict[str, set[str]]:
    """The names of the texts, each with the names of its placeholders."""
    entries = FluentParser().parse(texts()[language]).body
    assert not [each for each in entries if isinstance(each, ast.Junk)]
    source = texts()[language]
    return {
        each.id.name: set(re.findall(r"\{\s*\$([\w-]+)", source[each.span.start : each.span.end]))
        for each in entries
        if isinstance(each, ast.Message) and each.span
    }


def test_there_are_these_languages() -> None:
    assert LANGUAGES == ["en", "es", "ko", "ru"]
    assert Words().languages == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_texts_and_placeholders(language: str) -> None:
    assert messages(language) == messages(FALLBACK)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_comes_twice_or_is_left_in_english(language: str) -> None:
    words = Words()
    said = {name: words.say(name, language) for name in messages(language)}
    assert len(set(said.values())) == len(said)
    assert len(re.findall(r"^[\w-]+ =", texts()[language], re.MULTILINE)) == len(said)
    if language != FALLBACK:
        assert not [name for name in said if said[name] == words.say(name, FALLBACK)]


@pytest.mark.parametrize(
    ("code", "known"),
    [("es", "es"), ("es-MX", "es"), ("KO", "ko"), ("xx", "en"), ("", "en"), (None, "en")],
)
def test_an_unknown_language_falls_back_to_english(code: str | None, known: str) -> None:
    assert Words().known(code) == known
