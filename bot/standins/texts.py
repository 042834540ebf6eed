"""Text as Telegram counts and marks it: in UTF-16 units, with entities."""

import re
from typing import Any

# Neither the path of a URL nor a fraction is a command.
_COMMAND = re.compile(r"(?<![\w/<])/[A-Za-z0-9_]{1,64}(?:@\w+)?(?![\w/])")
_URL = re.compile(r"https?://[^\s<>]+[^\s<>.,;:!?)\]'\"]")
_FURTHEST = 1_000_000


class EntityError(ValueError):
    """An entity does not fit its text."""


def utf16_length(text: str) -> int:
    """How long Telegram takes the text to be: an emoji counts twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def found_entities(text: str) -> list[dict[str, Any]]:
    """The commands and links that a client marks by itself."""
    found = [
        {
            "offset": utf16_length(text[: match.start()]),
            "length": utf16_length(match[0]),
            "type": kind,
        }
        for kind, pattern in (("bot_command", _COMMAND), ("url", _URL))
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda entity: entity["offset"])


def with_found(text: str, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entities given, and those found where none of them is."""
    free = [each for each in found_entities(text) if not any(_overlap(each, one) for one in given)]
    return sorted([*given, *free], key=lambda entity: entity["offset"])


def quote_of(text: str, quote: str) -> dict[str, Any] | None:
    """The TextQuote of a part of a text; None if the text does not say that."""
    begin = text.find(quote)
    if begin < 0:
        return None
    return {"text": quote, "position": utf16_length(text[:begin]), "is_manual": True}


def check_entity(text: str, entity: Any) -> None:
    """Raise `EntityError` unless it lies within the text and cuts no character in two."""
    _check_shape(entity)
    encoded, begin = text.encode("utf-16-le", "surrogatepass"), entity["offset"]
    end, at = begin + entity["length"], f"entity beginning at UTF-16 offset {begin}"
    if 2 * end > len(encoded):
        raise EntityError(f"{at} ends after the end of the text at UTF-16 offset {end}")
    if _in_the_middle(encoded, begin):
        raise EntityError(f"entity begins in a middle of a UTF-16 symbol at offset {begin}")
    if _in_the_middle(encoded, end):
        raise EntityError(f"{at} ends in a middle of a UTF-16 symbol at offset {end}")


def strip_with_entities(
    text: str, entities: list[dict[str, Any]]
) -> tuple[str, list[dict[str, Any]]]:
    """Strip a text as the server does, and move its entities along."""
    stripped = text.strip()
    before, room = utf16_length(text[: text.find(stripped)]), utf16_length(stripped)
    moved = []
    for entity in entities:
        begin = max(entity["offset"] - before, 0)
        end = min(entity["offset"] + entity["length"] - before, room)
        if begin < end:
            moved.append({**entity, "offset": begin, "length": end - begin})
    return stripped, moved


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(
        one["offset"] < other["offset"] + other["length"]
        and other["offset"] < one["offset"] + one["length"]
    )


def _check_shape(entity: Any) -> None:
    if not isinstance(entity, dict):
        raise EntityError("can't parse MessageEntity: expected an Object")
    for name, kind in (("offset", int), ("length", int), ("type", str)):
        if not isinstance(entity.get(name), kind):
            raise EntityError(f"can't parse MessageEntity: Can't find field \"{name}\"")
    for name in ("offset", "length"):
        if not 0 <= entity[name] <= _FURTHEST:
            raise EntityError(f"receive entity with incorrect {name}")


def _in_the_middle(encoded: bytes, offset: int) -> bool:
    unit = encoded[2 * offset : 2 * offset + 2]
    return len(unit) == 2 and 0xDC <= unit[1] <= 0xDF  # noqa: PLR2004 - the second of a pair
