"""The smallest valid update of every kind that aiogram knows, built from its own models."""

from datetime import datetime
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from aiogram.enums import UpdateType
from aiogram.types import Update
from aiogram.types.base import TelegramObject

PERSON = {"id": 501, "is_bot": False, "first_name": "Ada"}
PRIVATE_CHAT = {"id": 501, "type": "private", "first_name": "Ada"}
WHEN = 1_790_000_000


def private_message(**content: object) -> dict[str, Any]:
    """A message of a person to the bot."""
    return {"message_id": 7, "date": WHEN, "chat": PRIVATE_CHAT, "from": PERSON, **content}


def smallest_update(kind: UpdateType) -> dict[str, Any]:
    """An update of that kind with nothing in it that is not required."""
    return {
        "update_id": 9_000_000,
        kind.value: smallest(Update.model_fields[kind.value].annotation),
    }


def smallest(annotation: Any) -> Any:
    """The smallest JSON that the annotation accepts."""
    if isinstance(annotation, type) and issubclass(annotation, TelegramObject):
        return {
            field.alias or name: smallest(field.annotation)
            for name, field in annotation.model_fields.items()
            if field.is_required()
        } | _literals(annotation)
    origin = get_origin(annotation)
    if origin in (Annotated, Union, UnionType):
        return smallest(get_args(annotation)[0])
    if origin is Literal:
        return get_args(annotation)[0]
    if origin is list:
        return [smallest(get_args(annotation)[0])]
    return _plain(annotation)


def _literals(model: type[TelegramObject]) -> dict[str, Any]:
    """What tells the members of a union apart has a default, but Telegram always sends it."""
    return {
        field.alias or name: get_args(field.annotation)[0]
        for name, field in model.model_fields.items()
        if get_origin(field.annotation) is Literal
    }


def _plain(annotation: Any) -> Any:
    plain: dict[Any, Any] = {bool: True, int: 1, float: 1.5, datetime: WHEN}
    return plain.get(annotation, "x")
