"""What a model may say, and what a person must see of it."""

import unicodedata

from hypothesis import strategies as st

from tests.badinput.oddities import BIDI, FAMILY, INVISIBLE, ODD_TEXTS, texts

LONG_ANSWERS = (
    "word " * 40_000,
    "w" * 100_000,
    "o" + "\u0301" * 20_000,
    "\U0001f1e9\U0001f1ea" * 5_000,
    "\U0001f600" * 4_097,
    FAMILY * 3_000,
    BIDI * 1_000,
    "\n" * 10_000 + "x",
    INVISIBLE * 2_000 + "x" + INVISIBLE * 2_000,
    " " * 5_000 + "\ud83d" * 5_000,
    "\0" * 9_000,
    "x\r\n" * 3_000,
    "```\n" + "    code\n" * 2_000,
)
BLANK_ANSWERS = ("", " ", "\n" * 5_000, "\u2028\x85\x1c", INVISIBLE, INVISIBLE * 2_000, "\x01\x7f")

answers = st.one_of(
    texts,
    st.builds(lambda text, times: text * times, texts, st.integers(1, 3_000)).filter(
        lambda text: len(text) < 200_000
    ),
    st.lists(st.one_of(texts, st.sampled_from(ODD_TEXTS)), max_size=5).map("\n".join),
)


def letters(text: str) -> str:
    """All of the text that takes ink; what no UTF-8 can hold is U+FFFD."""
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    whole = paired.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return "".join(
        c for c in whole if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf")
    )
