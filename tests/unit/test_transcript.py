"""Streamed text, however its chunks arrive."""

from hypothesis import given
from hypothesis import strategies as st

from llm.contract import Chunk
from llm.stream import Cutter, Transcript, whole_characters
from tests.support.searching import search

Pieces = list[str]
pieces = st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=5)


def chunks_of(attempt: int, texts: Pieces) -> list[Chunk]:
    return [Chunk(attempt, number, text) for number, text in enumerate(texts)]


def beginnings(texts: Pieces) -> set[str]:
    return {"".join(texts[:count]) for count in range(len(texts) + 1)}


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[Pieces, Pieces, list[Chunk]]:
    first, second = draw(pieces), draw(pieces)
    sent = chunks_of(1, first) + chunks_of(2, second)
    return first, second, draw(st.lists(st.sampled_from(sent), max_size=40))


@search(100)
@given(arrivals())
def test_only_ever_the_beginning_of_one_attempt(case: tuple[Pieces, Pieces, list[Chunk]]) -> None:
    first, second, arriving = case
    transcript = Transcript()
    newest = 0
    for chunk in arriving:
        before = transcript.text
        applied = transcript.apply(chunk)
        assert applied or transcript.text == before
        newest = max(newest, chunk.attempt if applied else 0)
        assert transcript.text in beginnings(second if newest == 2 else first)


@search(100)
@given(arrivals())
def test_an_attempt_that_arrives_in_order_is_whole_whatever_comes_between(
    case: tuple[Pieces, Pieces, list[Chunk]],
) -> None:
    _, second, arriving = case
    transcript = Transcript()
    for chunk in arriving:
        transcript.apply(chunk)
    for chunk in chunks_of(2, second):
        transcript.apply(chunk)
        for old in chunks_of(1, ["late", "later"]):
            assert not transcript.apply(old)
    assert transcript.text == "".join(second)


def test_repeated_missing_and_outdated_chunks_change_nothing() -> None:
    transcript = Transcript()
    assert not transcript.apply(Chunk(1, 1, "beyond"))
    assert transcript.apply(Chunk(1, 0, "a"))
    assert not transcript.apply(Chunk(1, 0, "again"))
    assert not transcript.apply(Chunk(1, 2, "beyond"))
    assert not transcript.apply(Chunk(2, 1, "beyond"))
    assert transcript.apply(Chunk(1, 1, "b"))
    assert transcript.text == "ab"
    assert transcript.apply(Chunk(2, 0, "c"))
    assert not transcript.apply(Chunk(1, 2, "outdated"))
    assert transcript.text == "c"


halves = st.text(st.sampled_from("a€\ud83d\ude00😀"), max_size=4)


@search(100)
@given(st.lists(halves, max_size=6))
def test_cut_text_is_whole_characters_and_nothing_is_lost(texts: list[str]) -> None:
    cutter, transcript = Cutter(1), Transcript()
    for chunk in [*map(cutter.cut, texts), cutter.rest()]:
        if chunk is not None:
            assert chunk.text.encode()
            assert transcript.apply(chunk)
    assert transcript.text == whole_characters("".join(texts))
