"""Who wrote a message."""

from aiogram.types import Message

from storage.records import Person
from storage.text import storable

LONGEST_NAME = 64


def person(message: Message) -> Person | None:
    """The first name, on one line, and the language of the app; None: neither is known."""
    author = message.from_user
    if author is None or not (name := " ".join(author.first_name.split())):
        return None
    language = storable(author.language_code) if author.language_code else None
    return Person(storable(name[:LONGEST_NAME]), language)
