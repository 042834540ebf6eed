"""What the model is told beside what was said."""

from datetime import UTC, datetime, timedelta

import pytest

from coordination.background import known, with_silences
from storage.people import Background
from storage.records import Seq, StoredMessage

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "language", "with_time", "words"),
    [
        (None, None, False, ""),
        ("Ada", None, False, "The user's name is Ada."),
        ("Ada", "ko", False, "The user's name is Ada; their language is ko."),
        (None, None, True, "It is Monday, 2026-11-30 12:00 UTC."),
    ],
)
def test_only_what_is_known_is_told(
    name: str | None, language: str | None, with_time: bool, words: str
) -> None:
    assert known(Background(NOON, name, language), with_time=with_time) == words


@pytest.mark.parametrize(
    ("silence", "words"),
    [
        (timedelta(hours=1), "hello"),
        (timedelta(hours=1, seconds=1), "[1 hour later]\nhello"),
        (timedelta(hours=3, minutes=59), "[3 hours later]\nhello"),
        (timedelta(hours=47), "[47 hours later]\nhello"),
        (timedelta(hours=48), "[2 days later]\nhello"),
        (timedelta(hours=-3), "hello"),
    ],
)
def test_a_long_silence_shows(silence: timedelta, words: str) -> None:
    first = StoredMessage(Seq(1), 1, "hi", sent_at=NOON)
    unknown = StoredMessage(Seq(2), 2, "when?")
    later = StoredMessage(Seq(3), 3, "hello", sent_at=NOON + silence)
    told = with_silences([first, unknown, later])
    assert [message.text for message in told] == ["hi", "when?", words]
