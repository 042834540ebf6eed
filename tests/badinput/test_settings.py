"""Any settings either load, and then work, or are complained of by name and never by value."""

import os
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import httpx2
import pytest
import yarl
from hypothesis import example, given
from hypothesis import strategies as st

from bot.settings import DatabaseSettings, Settings, SettingsError, load
from bot.telegram import telegram_bot
from llm.writer import OpenAIWriter
from storage.database import Database, Unavailable, Unusable
from tests.badinput.surroundings import NAMES, RIGHT, SECRET, addresses, environments, files
from tests.support.searching import TIMEOUT, search

pytestmark = pytest.mark.timeout(TIMEOUT)


@pytest.fixture(autouse=True)
def _empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def loaded(environment: Mapping[str, str]) -> Settings | None:
    with patch.dict(os.environ, environment, clear=True):
        try:
            return load(Settings)
        except SettingsError as error:
            complaint = str(error)
    assert SECRET not in complaint
    lines = complaint.splitlines()
    assert lines
    assert all(line.startswith((*NAMES, ".env")) for line in lines)
    return None


async def assert_usable(settings: Settings) -> None:
    """Nothing that is made of these settings may fail on what they are."""
    assert all(isinstance(secret, str) for secret in settings.secrets)
    bot = telegram_bot(settings)
    yarl.URL(bot.session.api.api_url(token=bot.token, method="getMe"))
    writer = OpenAIWriter(settings.model())
    url = httpx2.URL(settings.openai_base_url + "/chat/completions")
    assert url.host
    await writer.aclose()
    settings.rules().system_prompt.encode()
    settings.openai_model.encode()


@given(environment=environments)
@search(150)
async def test_the_environment_works_or_is_complained_of(environment: dict[str, str]) -> None:
    if (settings := loaded(environment)) is not None:
        await assert_usable(settings)


@given(name=st.sampled_from(["TELEGRAM_API_URL", "OPENAI_BASE_URL", "DATABASE_URL"]), url=addresses)
@example(name="OPENAI_BASE_URL", url="http://h\u00adost.example")
@search(200)
async def test_an_address_works_or_is_complained_of(name: str, url: str) -> None:
    if (settings := loaded(RIGHT | {name: url})) is not None:
        await assert_usable(settings)


@given(content=files)
@example(content=b"SYSTEM_PROMPT=a\0b\nEMBEDDED_DATA_DIR=a\0b")
@example(content=b"OPENAI_MODEL='not closed\nexport ${X:-\xff")
@search(100)
async def test_any_file_works_or_is_complained_of(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)
    if (settings := loaded(RIGHT)) is not None:
        await assert_usable(settings)


def test_a_folder_named_like_the_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert loaded(RIGHT) is not None


@given(
    url=st.one_of(
        addresses.filter(lambda url: "postgres" in url and "example" not in url),
        st.sampled_from(["postgresql://h/d?port=x", "postgresql:///d?host=/nowhere&port=5,6"]),
    ).filter(lambda url: "localhost" not in url)
)
@search(100)
async def test_a_database_is_reached_awaited_or_refused_for_good(url: str) -> None:
    with patch.dict(os.environ, {"DATABASE_URL": url}, clear=True):
        try:
            load(DatabaseSettings)
        except SettingsError:
            return
    db = Database(url)
    away = patch("asyncio.BaseEventLoop.create_connection", side_effect=OSError("no network here"))
    with away, pytest.raises((Unavailable, Unusable)) as failed:
        await db.fetch("SELECT 1", {})
    await db.close()
    assert SECRET not in str(failed.value)


async def test_a_variable_of_the_driver_is_refused_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPORT", "door")
    db = Database("postgresql://bot@localhost/bot")
    with pytest.raises(Unusable, match="PG"):
        await db.fetch("SELECT 1", {})
    await db.close()
