"""What each kind of setting may hold. A complaint never repeats what it complains of."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError
from pydantic_settings import NoDecode

from bot.addresses import BadAddress, check_postgres_url, check_web_address
from bot.commands.names import OWN

EMBEDDED = "embedded"
TOKEN = re.compile(r"[1-9][0-9]{0,14}:[A-Za-z0-9_-]+")
WORD = re.compile(r"[!-~]+")
COMMAND = re.compile(r"[a-z0-9_]{1,32}")
LONGEST_ANSWER = 4096
"""Of a message: https://core.telegram.org/bots/api#sendmessage"""
MOST_CANNED = 100 - len(OWN)
"""https://core.telegram.org/bots/api#setmycommands"""


def _token(secret: SecretStr) -> SecretStr:
    if not TOKEN.fullmatch(secret.get_secret_value()):
        raise PydanticCustomError("token", "does not look like a token of @BotFather: 123456:ABC…")
    return secret


def _database(secret: SecretStr) -> SecretStr:
    url = secret.get_secret_value()
    if url != EMBEDDED:
        _check(check_postgres_url, url)
    return secret


def _web_address(url: str) -> str:
    _check(check_web_address, url)
    return url.rstrip("/")


def _check(check: Callable[[str], None], url: str) -> None:
    try:
        check(url)
    except BadAddress as error:
        raise PydanticCustomError("address", "{what}", {"what": str(error)}) from None


def _key(secret: SecretStr) -> SecretStr:
    if not WORD.fullmatch(secret.get_secret_value()):
        raise PydanticCustomError("key", "must be one word of ASCII: it travels in a header")
    return secret


def _text(text: str) -> str:
    if "\0" in text or text != text.encode("utf-8", "replace").decode():
        raise PydanticCustomError("text", "holds bytes that are no text")
    return text


def _folder(path: Path | None) -> Path | None:
    if path is not None and "\0" in str(path):
        raise PydanticCustomError("folder", "cannot be a folder")
    return path


def _listed(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [each.strip() for each in value.split(",") if each.strip()]


def _module(name: str) -> str:
    if not all(part.isidentifier() for part in name.split(".")):
        raise PydanticCustomError("module", "must be names of Python modules, with commas between")
    return name


def _loaded(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise PydanticCustomError("json", 'must be a JSON object: {"name": "answer"}') from None


def _canned(answers: dict[str, str]) -> dict[str, str]:
    for name, answer in answers.items():
        if not COMMAND.fullmatch(name):
            raise PydanticCustomError("name", "names are 1 to 32 of a-z, 0-9 and _, no slash")
        if name in OWN:
            raise PydanticCustomError("name", "/{name} is a command of the bot", {"name": name})
        if not answer.strip() or len(answer.encode("utf-16-le")) > 2 * LONGEST_ANSWER:
            raise PydanticCustomError("answer", "answers are texts of 1 to 4096 characters")
    if len(answers) > MOST_CANNED:
        raise PydanticCustomError("many", "at most {most} answers", {"most": MOST_CANNED})
    return answers


def _days_kept(days: int) -> int:
    if days == 1:
        raise PydanticCustomError("days", "must be 0, for everything, or at least 2")
    return days


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


Token = Annotated[SecretStr, AfterValidator(_token)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database)]
Seconds = Annotated[float, Field(allow_inf_nan=False, le=86_400)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
Key = Annotated[SecretStr, AfterValidator(_key)]
Words = Annotated[str, AfterValidator(_text)]
Folder = Annotated[Path | None, AfterValidator(_folder)]
Modules = Annotated[
    tuple[Annotated[str, AfterValidator(_module)], ...], NoDecode, BeforeValidator(_listed)
]
CannedAnswers = Annotated[
    dict[str, Words], NoDecode, BeforeValidator(_loaded), AfterValidator(_canned)
]
DaysKept = Annotated[int, Field(ge=0, le=36_500), AfterValidator(_days_kept)]
InAnyCase = BeforeValidator(_lower)
