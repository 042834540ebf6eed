"""When two calls are the same call."""

import json
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from storage.records import Burst, ConversationKey
from storage.text import storable


def canonical(arguments: BaseModel) -> str:
    """The arguments as JSON that can be stored: keys in order, what was not given left out."""
    given = _with_texts(arguments.model_dump(mode="json", exclude_unset=True), storable)
    return json.dumps(given, sort_keys=True, ensure_ascii=False)


def key_of(conversation: ConversationKey, burst: Burst, tool: str, arguments: BaseModel) -> str:
    """The idempotency key: the same for calls that differ in order or whitespace only.

    A default that is spelled out is no difference either.
    """
    given = _with_texts(arguments.model_dump(mode="json"), lambda text: " ".join(text.split()))
    for name in given:
        if isinstance(getattr(arguments, name), AbstractSet):
            given[name].sort(key=json.dumps)  # the order of a set differs between processes
    first = burst.answered_seq + 1
    identity = json.dumps([*conversation, first, tool, given], sort_keys=True)
    return sha256(identity.encode()).hexdigest()


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case dict():
            return {change(name): _with_texts(each, change) for name, each in value.items()}
        case list():
            return [_with_texts(each, change) for each in value]
        case _:
            return value
