"""When two calls are the same call."""

import json
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from storage.records import Burst, ConversationKey


def canonical(arguments: BaseModel) -> str:
    """The arguments as JSON: keys in order, what was not given left out."""
    given = arguments.model_dump(mode="json", exclude_unset=True)
    return json.dumps(given, sort_keys=True, ensure_ascii=False)


def key_of(conversation: ConversationKey, burst: Burst, tool: str, arguments: BaseModel) -> str:
    """The idempotency key: the same for calls that differ in order or whitespace only.

    A default that is spelled out is no difference either.
    """
    given = _without_spaces(arguments.model_dump(mode="json"))
    first = burst.answered_seq + 1
    identity = json.dumps([*conversation, first, tool, given], sort_keys=True)
    return sha256(identity.encode()).hexdigest()


def _without_spaces(value: Any) -> Any:
    match value:
        case str():
            return " ".join(value.split())
        case dict():
            return {name: _without_spaces(each) for name, each in value.items()}
        case list():
            return [_without_spaces(each) for each in value]
        case _:
            return value
