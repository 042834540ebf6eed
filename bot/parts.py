"""A long text becomes several messages."""

import unicodedata

# sendMessage: "1-4096 characters"; Telegram counts UTF-16 code units.
MESSAGE_LIMIT = 4096

_NO_BREAK_SPACES = "\u00a0\u2007\u202f"
_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA_CLASS = 9
_INVISIBLE = ("Cc", "Cf")
"""Controls; zero-width spaces, joiners and marks of direction."""
# More than the longest emoji or syllable in use; marks piled higher than this may be cut.
_LONGEST_CHARACTER = 64


def cut(text: str, limit: int = MESSAGE_LIMIT) -> list[str]:
    """Cut `text` into parts of at most `limit` (2 or more) UTF-16 units, in each something to see.

    A part ends at the last paragraph that ends in its second half, else at the last such line,
    else at the last such word, else between two characters as a reader sees them. Only whitespace
    at the cuts is lost, and a part in which there is nothing to see: Telegram refuses those.
    """
    if units(text) <= limit:
        return [text] if is_visible(text) else []
    parts = []
    start = _next_start(text, 0)
    while start < len(text):
        end = _end(text, start, limit)
        part = text[start:end].rstrip()
        if is_visible(part):
            parts.append(part)
        start = _next_start(text, end)
    return parts


def is_visible(part: str) -> bool:
    """Whether a reader would see anything of it."""
    return any(
        not character.isspace() and unicodedata.category(character) not in _INVISIBLE
        for character in part
    )


def units(text: str) -> int:
    """How long the text is for Telegram."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _next_start(text: str, index: int) -> int:
    """Skip the whitespace at `index`, but not the indentation of a line that follows."""
    end = index
    while end < len(text) and text[end].isspace():
        end += 1
    return text.rfind("\n", index, end) + 1 or end


def _end(text: str, start: int, limit: int) -> int:
    reach = _reach(text, start, limit)
    if reach == len(text):
        return reach
    middle = (start + reach) // 2
    for separator in ("\n\n", "\n"):
        found = text.rfind(separator, middle, reach + len(separator))
        if found >= 0:
            return found
    for index in range(reach, middle, -1):
        if text[index].isspace() and text[index] not in _NO_BREAK_SPACES:
            return index
    for index in range(reach, max(middle, reach - _LONGEST_CHARACTER), -1):
        if not _is_inside_character(text, start, index):
            return index
    return reach


def _reach(text: str, start: int, limit: int) -> int:
    """Return the index after the last code point that still fits."""
    used = 0
    furthest = min(len(text), start + limit)
    for index in range(start, furthest):
        used += 2 if text[index] > "\uffff" else 1
        if used > limit:
            return index
    return furthest


def _is_inside_character(text: str, start: int, index: int) -> bool:
    """Approximate the grapheme clusters of Unicode's annex 29 with the standard library."""
    before, after = text[index - 1], text[index]
    if before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == _VIRAMA_CLASS:
        return True
    if _is_flag_letter(after):
        flag_letters = index
        while flag_letters > start and _is_flag_letter(text[flag_letters - 1]):
            flag_letters -= 1
        return (index - flag_letters) % 2 == 1
    return _extends(after)


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _extends(character: str) -> bool:
    return (
        character == _ZERO_WIDTH_JOINER
        or unicodedata.category(character).startswith("M")  # accents, variation selectors, keycaps
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags, as in the flag of Scotland
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of decomposed Hangul
    )
