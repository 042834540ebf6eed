"""Which settings there are, and what a wrong one says."""

from pathlib import Path

import pytest

from bot.settings import DatabaseSettings, Settings, SettingsError, load

TOKEN = "4242:only-BotFather-knows"
KEY = "sk-only-the-model-server-knows"
PASSWORD = "only-postgres-knows"
RIGHT = {
    "TELEGRAM_BOT_TOKEN": TOKEN,
    "OPENAI_API_KEY": KEY,
    "DATABASE_URL": f"postgresql://bot:{PASSWORD}@db.example/bot",
}


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)  # no .env here


def loaded(monkeypatch: pytest.MonkeyPatch, **environment: str) -> Settings:
    for name, value in {**RIGHT, **environment}.items():
        monkeypatch.setenv(name, value)
    return load(Settings)


def complaint(monkeypatch: pytest.MonkeyPatch, **environment: str) -> list[str]:
    with pytest.raises(SettingsError) as wrong:
        loaded(monkeypatch, **environment)
    words = str(wrong.value)
    for secret in (TOKEN, KEY, PASSWORD, *(environment.get(name) for name in RIGHT)):
        assert not secret or secret.isspace() or secret not in words
    assert wrong.value.__cause__ is None  # pydantic's error would quote what it was given
    return words.splitlines()


def test_each_missing_setting_is_a_line_that_says_what_belongs_there() -> None:
    with pytest.raises(SettingsError) as wrong:
        load(Settings)
    token, key, database = str(wrong.value).splitlines()
    assert token.startswith("TELEGRAM_BOT_TOKEN is not set: the token that @BotFather gave you")
    assert key.startswith("OPENAI_API_KEY is not set: the key of the model's server")
    assert database.startswith("DATABASE_URL is not set: postgresql://user:password@host/name")
    assert all("in the environment or in .env" in line for line in (token, key, database))


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
@pytest.mark.parametrize("name", RIGHT)
def test_a_blank_setting_counts_as_missing(
    monkeypatch: pytest.MonkeyPatch, name: str, blank: str
) -> None:
    [line] = complaint(monkeypatch, **{name: blank})
    assert line.startswith(f"{name} is not set")


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_setting_leaves_the_default_in_force(
    monkeypatch: pytest.MonkeyPatch, blank: str
) -> None:
    default = loaded(monkeypatch)
    names = [name.upper() for name in Settings.model_fields]
    assert loaded(monkeypatch, **(dict.fromkeys(names, blank) | RIGHT)) == default


def test_a_blank_setting_of_the_environment_does_not_hide_that_of_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=filed\nSYSTEM_PROMPT=' '\n")
    settings = loaded(monkeypatch, OPENAI_MODEL=" ")
    assert settings.openai_model == "filed"
    assert settings.system_prompt.startswith("You are")


@pytest.mark.parametrize(
    "token",
    ["abc", "4242", "4242:", ":abc", "x4242:abc", "42 42:abc", "4242:a b", "4242:a/b", "4242:a?b"],
)
def test_a_token_must_look_like_one(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    [line] = complaint(monkeypatch, TELEGRAM_BOT_TOKEN=token)
    assert line.startswith("TELEGRAM_BOT_TOKEN: does not look like a token of @BotFather")


def test_the_bot_knows_itself_by_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(monkeypatch).bot_id == 4242


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bot:word@db.example:5433/bot",
        "postgresql+asyncpg://bot:word@db.example/bot",
        "postgres://bot@db.example/bot",
        "postgresql://bot@/bot?host=/run/postgresql",
        "postgresql://bot@/bot?host=%2Fvar%2Frun%2Fpostgresql&port=5433",
        "postgresql://bot:word@db.example/bot?sslmode=verify-full&sslrootcert=/etc/root.crt",
        "embedded",
    ],
)
def test_every_way_to_name_a_database(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    assert loaded(monkeypatch, DATABASE_URL=url).database_url.get_secret_value() == url


@pytest.mark.parametrize(
    "url",
    ["mysql://bot@db/bot", "sqlite:///bot.db", "postgresql+psycopg://bot@db/bot", "db.example"],
)
def test_other_databases_are_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    [line] = complaint(monkeypatch, DATABASE_URL=url)
    assert line == "DATABASE_URL: must begin with postgresql:// or be embedded"


@pytest.mark.parametrize("word", ["sec#ret-word", "sec/ret-word", "sec?ret-word", "sec[ret-word"])
def test_a_password_that_breaks_the_address_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    [line] = complaint(monkeypatch, DATABASE_URL=f"postgresql://bot:{word}@db.example/bot")
    assert line.startswith("DATABASE_URL: ")
    assert not any(piece in line for piece in ("sec", "ret-word"))


@pytest.mark.parametrize("name", ["TELEGRAM_API_URL", "OPENAI_BASE_URL"])
@pytest.mark.parametrize("url", ["ftp://host.example", "host.example", "https://"])
def test_web_addresses(monkeypatch: pytest.MonkeyPatch, name: str, url: str) -> None:
    [line] = complaint(monkeypatch, **{name: url})
    assert line == f"{name}: must begin with http:// or https://"


def test_a_slash_at_the_end_of_an_address_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, OPENAI_BASE_URL="http://host.example/v1/")
    assert settings.openai_base_url == "http://host.example/v1"


@pytest.mark.parametrize(
    ("name", "least", "below", "most", "above"),
    [
        ("DEBOUNCE_CAP_SECONDS", "2", "-1", "86400", "86401"),
        ("LEASE_TTL_SECONDS", "1", "0.9", "86400", "86401"),
        ("MAX_SUPERSEDES", "0", "-1", "1000", "1001"),
        ("MAX_WAIT_SECONDS", "0", "-1", "86400", "86401"),
        ("MAX_CONCURRENT_REPLIES", "1", "0", "10000", "10001"),
        ("SWEEP_SECONDS", "0.05", "0.04", "86400", "86401"),
        ("MODEL_TIMEOUT_SECONDS", "0.1", "0", "86400", "86401"),
        ("MODEL_MAX_ATTEMPTS", "1", "0", "100", "101"),
        ("HISTORY_MESSAGES", "0", "-1", "1000", "1001"),
        ("HTTP_PORT", "0", "-1", "65535", "65536"),
    ],
)
def test_ranges(
    monkeypatch: pytest.MonkeyPatch, name: str, least: str, below: str, most: str, above: str
) -> None:
    for good in (least, most):
        assert getattr(loaded(monkeypatch, **{name: good}), name.lower()) == float(good)
    for bad, word in ((below, "greater than"), (above, "less than or equal to")):
        [line] = complaint(monkeypatch, **{name: bad})
        assert line.startswith(f"{name}: input should be {word}")


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "soon", "1,5"])
@pytest.mark.parametrize(
    "name", [name.upper() for name in Settings.model_fields if name.endswith("_seconds")]
)
def test_seconds_are_finite_numbers(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    [line] = complaint(monkeypatch, **{name: value})
    assert line.startswith(f"{name}: input should be a ")


def test_quiet_may_not_outlast_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    [line] = complaint(monkeypatch, DEBOUNCE_QUIET_SECONDS="3", DEBOUNCE_CAP_SECONDS="2.9")
    assert line == "DEBOUNCE_QUIET_SECONDS must not be greater than DEBOUNCE_CAP_SECONDS"
    loaded(monkeypatch, DEBOUNCE_QUIET_SECONDS="3", DEBOUNCE_CAP_SECONDS="3")


def test_words_are_read_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(
        monkeypatch, LOG_LEVEL="WARNING", LOG_FORMAT="Json", ON_UNCERTAIN_DELIVERY="Hold"
    )
    assert settings.log_level == "warning"
    assert settings.log_format == "json"
    assert settings.on_uncertain_delivery == "hold"


@pytest.mark.parametrize("name", ["LOG_LEVEL", "LOG_FORMAT", "ON_UNCERTAIN_DELIVERY"])
def test_other_words_are_answered_with_the_choice(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    [line] = complaint(monkeypatch, **{name: "loud"})
    assert line.startswith(f"{name}: input should be '")


def test_every_wrong_setting_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = complaint(monkeypatch, DATABASE_URL="oracle://", HTTP_PORT="door", LOG_LEVEL="loud")
    names = [line.partition(":")[0] for line in lines]
    assert names == ["DATABASE_URL", "HTTP_PORT", "LOG_LEVEL"]


def test_the_environment_goes_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=filed\nHISTORY_MESSAGES=7\nUNKNOWN=1\n")
    settings = loaded(monkeypatch, OPENAI_MODEL="exported")
    assert (settings.openai_model, settings.history_messages) == ("exported", 7)


def test_the_database_alone_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "embedded")
    assert load(DatabaseSettings).database_url.get_secret_value() == "embedded"


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch)
    assert not any(secret in repr(settings) for secret in (TOKEN, KEY, PASSWORD))
    assert set(settings.secrets) == {TOKEN, KEY, PASSWORD}


def test_a_day_is_too_short_to_keep_things(monkeypatch: pytest.MonkeyPatch) -> None:
    assert complaint(monkeypatch, RETENTION_DAYS="1") == [
        "RETENTION_DAYS: must be 0, for everything, or at least 2"
    ]
    assert loaded(monkeypatch, RETENTION_DAYS="2").retention_days == 2


def test_answers_of_the_operator_are_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, CANNED_ANSWERS='{"hours": "We are open 9-17."}')
    assert settings.canned_answers == {"hours": "We are open 9-17."}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("hours", "JSON object"),
        ("[1]", "dictionary"),
        ('{"/hours": "9-17"}', "a-z"),
        ('{"help": "9-17"}', "/help is a command of the bot"),
        ('{"hours": " "}', "1 to 4096"),
        ('{"hours": 9}', "string"),
    ],
)
def test_wrong_answers_of_the_operator_are_named(
    monkeypatch: pytest.MonkeyPatch, value: str, words: str
) -> None:
    [line] = complaint(monkeypatch, CANNED_ANSWERS=value)
    assert line.startswith("CANNED_ANSWERS: ")
    assert words in line
