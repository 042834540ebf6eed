"""How a Telegram client sends what is too long for one message."""

_LONGEST_TEXT = 4096


def cut_paste(text: str) -> list[str]:
    """Cut a text into messages of at most 4096 UTF-16 units; a blank text is not sent."""
    parts: list[str] = []
    part: list[str] = []
    room = _LONGEST_TEXT
    for character in text.strip():
        units = len(character.encode("utf-16-le", "replace")) // 2
        if units > room:
            parts.append("".join(part))
            part, room = [], _LONGEST_TEXT
        part.append(character)
        room -= units
    parts.append("".join(part))
    return [stripped for stripped in map(str.strip, parts) if stripped]
