"""Updates of every kind, whole, spoilt, or from another world."""

from copy import deepcopy
from typing import Any

from aiogram.enums import UpdateType
from hypothesis import strategies as st

from tests.badinput.kinds import private_message, smallest_update
from tests.badinput.oddities import any_json, numbers, texts

KINDS = {kind.value: smallest_update(kind) for kind in UpdateType}

contents: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"text": texts}),
    st.fixed_dictionaries({"caption": texts, "voice": st.just({"file_id": "f"})}),
    st.fixed_dictionaries({"dice": st.just({"emoji": "x", "value": 1})}, optional={"text": texts}),
    st.fixed_dictionaries({"from_the_future": any_json}),
    st.sampled_from(
        [
            {},
            {"pinned_message": private_message(text="pinned")},
            {"message_auto_delete_timer_changed": {"message_auto_delete_time": 60}},
            {"text": "hello", "reply_to_message": private_message(text="before")},
            {"text": "hello", "message_thread_id": 3, "is_topic_message": True},
        ]
    ),
)
messages = contents.map(lambda content: {"update_id": 1, "message": private_message(**content)})
of_other_kinds = st.sampled_from(list(KINDS.values()))
of_future_kinds = st.dictionaries(texts, any_json, max_size=3)
with_huge_callback_data = st.builds(
    lambda data: {
        "update_id": 1,
        "callback_query": {**KINDS["callback_query"]["callback_query"], "data": data},
    },
    st.one_of(texts, st.just("d" * 100_000)),
)

Path = tuple[Any, ...]


def paths(value: Any, here: Path = ()) -> list[Path]:
    """The way to everything inside."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = [(*here, name) for name, _ in inside]
    for name in list(found):
        inner = _at(value, name[len(here) :])
        if isinstance(inner, dict | list):
            found += paths(inner, name)
    return found


def _at(value: Any, path: Path) -> Any:
    for name in path:
        value = value[name]
    return value


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A real update in which some places hold something else, or nothing."""
    update = deepcopy(draw(st.one_of(messages, messages, of_other_kinds)))
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(paths(update) or [("update_id",)]))
        place = _at(update, tuple(way))
        if draw(st.booleans()):
            place[last] = draw(st.one_of(any_json, numbers))
        elif isinstance(place, dict):
            place.pop(last, None)
            place[draw(texts)] = draw(any_json)
    return update


any_update = st.one_of(
    messages,
    of_other_kinds,
    with_huge_callback_data,
    of_future_kinds,
    spoilt(),
    spoilt(),
    any_json,
)
