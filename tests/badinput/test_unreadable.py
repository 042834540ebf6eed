"""Answers to getUpdates that no JSON reader takes whole."""

import json
from typing import Any

import pytest

from bot.raw_updates import Unreadable, as_json, load_answer, next_offset, update_id_of

GOOD = '{"update_id":5,"message":{"text":"a \\"quoted\\" [bracket"}}'
DEEP = '{"update_id":6,"message":' + "[" * 100_000 + "]" * 100_000 + "}"
LONG_NUMBER = '{ "update_id" : 7, "poll": {"id": ' + "9" * 5_000 + "}}"
RAW_NUL = '{"update_id":8,"message":{"text":"\0"}}'


def answer(*updates: str) -> str:
    return '{"ok":true,"result":[' + ",".join(updates) + "]}"


@pytest.mark.parametrize("bad", [DEEP, LONG_NUMBER, RAW_NUL, "{}}{", "no JSON"])
def test_one_unreadable_update_harms_no_other(bad: str) -> None:
    first, unreadable, last = load_answer(answer(GOOD, bad, GOOD))["result"]
    assert first == last == json.loads(GOOD)
    assert isinstance(unreadable, Unreadable)
    assert unreadable == bad


def test_the_id_of_an_unreadable_update_confirms_it() -> None:
    updates = load_answer(answer(GOOD, DEEP, LONG_NUMBER))["result"]
    assert [update_id_of(update) for update in updates] == [5, 6, 7]
    assert next_offset(updates) == 8


@pytest.mark.parametrize(
    "cut", [1, 10, len(answer(GOOD)) - 1, len(answer(GOOD, DEEP)) - 1, len(answer(GOOD, DEEP)) - 2]
)
def test_an_answer_that_was_cut_off_counts_as_none(cut: int) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load_answer(answer(GOOD, DEEP)[:cut])


@pytest.mark.parametrize("number", [None, "5", 5.0, True, 0, -3, 2**63, [], {}])
def test_an_odd_id_confirms_nothing(number: Any) -> None:
    assert next_offset([{"update_id": number}]) is None
    assert next_offset([{"update_id": number}, {"update_id": 5}, 7, "x", None]) == 6


async def test_what_was_read_can_be_written() -> None:
    deepest = next(depth for depth in range(2_000, 0, -1) if is_readable(nest(depth)))
    assert await as_json(json.loads(nest(deepest))) == nest(deepest)


def nest(depth: int) -> str:
    return "[" * depth + "]" * depth


def is_readable(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return False
    return True
