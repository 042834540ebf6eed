"""What a request to the model holds, and in what order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.contract import Image, Turn
from llm.prompt import UNSEEN, assemble, without_images
from tests.support.searching import search


def user(text: str) -> Turn:
    return Turn("user", text)


def assistant(text: str) -> Turn:
    return Turn("assistant", text)


def test_system_then_history_then_the_burst_as_one_turn() -> None:
    turns = assemble(
        "Be kind.", [user("Hi"), assistant("Hello")], [user("a@b.c"), user("555-0100")], 40
    )
    assert turns == [
        Turn("system", "Be kind."),
        user("Hi"),
        assistant("Hello"),
        user("a@b.c\n555-0100"),
    ]


def test_neighbours_of_one_role_are_joined() -> None:
    history = [user("1"), user("2"), assistant("3"), assistant("4"), user("5")]
    assert assemble("", history, [user("6"), user("7")], 40) == [
        user("1\n2"),
        assistant("3\n4"),
        user("5\n6\n7"),
    ]


def test_pictures_of_neighbours_are_joined_too() -> None:
    turtle, cat = Image("image/jpeg", b"turtle"), Image("image/jpeg", b"cat")
    burst = [Turn("user", "1", images=(turtle,)), user("2"), Turn("user", "3", images=(cat,))]
    turns = assemble("", [], burst, 0)
    assert turns == [Turn("user", "1\n2\n3", images=(turtle, cat))]
    assert without_images(turns) == [user(f"1\n2\n3\n{UNSEEN}")]


def test_history_is_bounded_and_never_begins_with_an_answer() -> None:
    history = [user("1"), assistant("2"), assistant("3"), user("4"), assistant("5")]
    assert assemble("", history, [user("6")], 4) == [user("4"), assistant("5"), user("6")]
    assert assemble("", history, [user("6")], 2) == [user("4"), assistant("5"), user("6")]
    assert assemble("", history, [user("6")], 1) == [user("6")]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_system_prompt_and_no_history(blank: str) -> None:
    assert assemble(blank, [user("1"), assistant("2")], [user("3")], 0) == [user("3")]


turns = st.builds(Turn, st.sampled_from(["user", "assistant"]), st.text(max_size=5))


@search(100)
@given(
    history=st.lists(turns),
    burst=st.lists(st.builds(Turn, st.just("user"), st.text(max_size=5)), min_size=1),
    limit=st.integers(0, 9),
)
def test_roles_alternate_from_user_to_user(
    history: list[Turn], burst: list[Turn], limit: int
) -> None:
    system, *rest = assemble("Be kind.", history, burst, limit)
    assert system.role == "system"
    assert [turn.role for turn in rest] == [
        "assistant" if place % 2 else "user" for place in range(len(rest))
    ]
    assert len(rest) % 2 == 1
    assert rest[-1].text.endswith("\n".join(turn.text for turn in burst))
