"""What Telegram says of a refusal may quote the text it refused; a reason must not."""

import pytest

from bot.refusals import in_plain_words


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Forbidden: bot was blocked by the user", "Forbidden: bot was blocked by the user"),
        ("Bad Request: chat not found", "Bad Request: chat not found"),
        (
            'Bad Request: can\'t parse entities: Unsupported start tag "hunter2" at byte offset 15',
            "Bad Request: can't parse entities: Unsupported start tag",
        ),
        ("пароль", "refused"),
        ("", "refused"),
    ],
)
def test_words_that_quote_and_count_nothing_are_left(message: str, words: str) -> None:
    assert in_plain_words(message) == words
