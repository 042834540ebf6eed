"""When two calls are the same call, and when they are not."""

import json
import subprocess
import sys
from itertools import combinations

import pytest

from coordination.tools.calls import canonical, key_of
from coordination.tools.tool import Tool, reading
from storage.records import ConversationKey
from tests.support.surroundings import ROOT, surroundings
from tests.support.tool_bursts import burst

ADA, BOB = ConversationKey(501, 0), ConversationKey(502, 0)


@reading()
def find(what: str, people: int = 2, names: tuple[str, ...] = (), price: float = 1) -> str:
    """Find a table."""
    return f"{what} {people} {names} {price}"


@reading()
def lose(what: str, people: int = 2) -> str:
    """Lose a table."""
    return f"{what} {people}"


def key(
    arguments: str, tool: Tool = find, conversation: ConversationKey = ADA, seq: int = 0
) -> str:
    given = tool.arguments.model_validate_json(arguments)
    return key_of(conversation, burst(answered_seq=seq), tool.name, given)


@pytest.mark.parametrize(
    "same",
    [
        '{"people": 2, "what": "a table"}',
        '{"what": " a  table\\n"}',
        '{\n  "what": "a table",\n  "people": 2\n}',
        '{"what": "a table", "people": "2"}',
        '{"what": "a table", "price": 1.0}',
        '{"what": "a table", "names": []}',
    ],
)
def test_g9_order_and_whitespace_and_defaults_are_no_difference(same: str) -> None:
    assert key(same) == key('{"what": "a table"}')


def test_g9_a_different_call_is_another() -> None:
    keys = [
        key('{"what": "a table"}'),
        key('{"what": "atable"}'),
        key('{"what": "A table"}'),
        key('{"what": "a table", "people": 3}'),
        key('{"what": "a table", "names": ["a", "b"]}'),
        key('{"what": "a table", "names": ["b", "a"]}'),
        key('{"what": "a table", "names": ["a b"]}'),
        key('{"what": "a table"}', lose),
        key('{"what": "a table"}', conversation=BOB),
        key('{"what": "a table"}', conversation=ConversationKey(501, 7)),
        key('{"what": "a table"}', seq=1),
    ]
    assert all(one != other for one, other in combinations(keys, 2))


def test_g9_a_run_that_reads_more_messages_makes_the_same_call() -> None:
    given = find.arguments(what="a table")
    keys = {key_of(ADA, burst(last_seq=last), "find", given) for last in (1, 2, 9)}
    assert len(keys) == 1


SETS = """
from coordination.tools.calls import key_of
from coordination.tools.tool import reading
from storage.records import ConversationKey
from tests.support.tool_bursts import burst
@reading()
def find(names: set[str]) -> str:
    "Find."
given = find.arguments(names={"a", "b", "c", "d", "e"})
print(key_of(ConversationKey(1, 0), burst(), "find", given))
"""


def test_g9_the_key_of_a_set_is_the_same_in_every_process() -> None:
    keys = set()
    for seed in ("1", "2", "3"):
        said = subprocess.run(
            [sys.executable, "-c", SETS],
            env=surroundings() | {"PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        keys.add(said.stdout)
    assert len(keys) == 1


def test_what_is_kept_of_the_arguments_is_what_was_given() -> None:
    kept = canonical(find.arguments(what=" a table"))
    assert json.loads(kept) == {"what": " a table"}


def test_what_postgresql_cannot_keep_is_replaced() -> None:
    given = find.arguments.model_validate_json('{"what": "a\\u0000b"}')
    assert json.loads(canonical(given)) == {"what": "a\N{REPLACEMENT CHARACTER}b"}
