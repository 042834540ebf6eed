"""Values that nobody expects."""

from typing import Any

from hypothesis import strategies as st

BIDI = "\u202e\u2067\u05d0\u0644\u200f abc \u2069"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"

ODD_TEXTS = (
    "",
    " \n\t\u00a0\u2003",
    INVISIBLE,
    "\0",
    "a\0b",
    "\ud83d",
    "\ude00\ud83d",
    "half \udce9 of one",
    BIDI,
    "e" + "\u0301" * 2_000,
    "\U0001f600" * 4_096,
    FAMILY * 500,
    "\u2028\u2029\x85\x0b\x0c\x1c",
    "{0}{x}%s%n${HOME}<b>&amp;",
    "\U0010ffff\ufffe\uffff",
)


class Huge(str):
    """A text that is not printed when a test fails."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Huge({len(self)})"


HUGE_TEXT = Huge("x" * 1_000_000)

ODD_NUMBERS = (
    0,
    -1,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    2**200,
    4_102_444_800,  # 2100-01-01
    10**14,
    -(10**14),
)

texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=40),
)
numbers = st.one_of(st.sampled_from(ODD_NUMBERS), st.integers())
scalars = st.one_of(st.none(), st.booleans(), numbers, st.floats(), texts)


def nested(depth: int) -> Any:
    """Lists and objects in each other, `depth` of them."""
    value: Any = 1
    for level in range(depth):
        value = {"deeper": value} if level % 2 else [value]
    return value


small_json = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
large_json = st.one_of(
    st.builds(nested, st.sampled_from([60, 300, 700])),
    st.builds(nested, st.sampled_from([60, 300, 700])),
    st.just(HUGE_TEXT),
)
any_json = st.one_of(*[small_json] * 9, large_json)
