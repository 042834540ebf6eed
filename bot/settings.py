"""The settings, by the names in `.env.example`. Wrong ones are said by name, never by value."""

from datetime import timedelta
from typing import Annotated, Any, Literal, Self, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import Field, ValidationError
from pydantic import model_validator as checks_together
from pydantic_core import ErrorDetails, PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.setting_types import (
    CannedAnswers,
    DatabaseUrl,
    DaysKept,
    Folder,
    InAnyCase,
    Key,
    Modules,
    Seconds,
    Token,
    WebAddress,
    Words,
)
from coordination.rules import OnUncertainDelivery, Rules
from llm.contract import ModelSettings

T = TypeVar("T", bound=BaseSettings)

SHORT_WORD = 5

HINTS = {
    "TELEGRAM_BOT_TOKEN": "the token that @BotFather gave you",
    "OPENAI_API_KEY": "the key of the model's server (any word if it needs none)",
    "DATABASE_URL": "postgresql://user:password@host/name, or the word embedded",
}


class SettingsError(Exception):
    """Settings that cannot work: one line for each."""


class Surroundings(BaseSettings):
    """What is read from the environment and from `.env`, where blank counts as not set."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", hide_input_in_errors=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take what is blank out of each source, so that it does not hide what the next one has."""
        sources = super().settings_customise_sources(
            settings_cls, init_settings, env_settings, dotenv_settings, file_secret_settings
        )
        for source in sources:
            if isinstance(source, EnvSettingsSource):
                given = source.env_vars.items()
                source.env_vars = {name: value for name, value in given if value and value.strip()}
        return sources


class Settings(Surroundings):
    """Everything an operator can set; times are in seconds."""

    telegram_bot_token: Token
    telegram_api_url: WebAddress = "https://api.telegram.org"
    openai_api_key: Key
    openai_base_url: WebAddress = "https://api.openai.com/v1"
    openai_model: Annotated[Words, Field(min_length=1)] = "gpt-4.1-mini"
    system_prompt: Words = "You are a helpful assistant in a Telegram chat. Answer briefly."
    database_url: DatabaseUrl
    embedded_data_dir: Folder = None
    retention_days: DaysKept = 0

    debounce_quiet_seconds: Annotated[Seconds, Field(ge=0)] = 2.0
    debounce_long_quiet_seconds: Annotated[Seconds, Field(ge=0)] = 5.0
    debounce_cap_seconds: Annotated[Seconds, Field(ge=0)] = 10.0
    lease_ttl_seconds: Annotated[Seconds, Field(ge=1)] = 30.0
    max_supersedes: Annotated[int, Field(ge=0, le=1000)] = 2
    max_wait_seconds: Annotated[Seconds, Field(ge=0)] = 60.0
    max_concurrent_replies: Annotated[int, Field(ge=1, le=10_000)] = 64
    sweep_seconds: Annotated[Seconds, Field(ge=0.05)] = 1.0

    model_timeout_seconds: Annotated[Seconds, Field(gt=0)] = 60.0
    model_max_attempts: Annotated[int, Field(ge=1, le=100)] = 5
    outage_notice_seconds: Annotated[Seconds, Field(ge=0)] = 30.0
    history_messages: Annotated[int, Field(ge=0, le=1000)] = 40
    summary_tokens: Annotated[int, Field(ge=0, le=100_000)] = 400
    transcription_model: Words = ""
    tools: Modules = ()
    canned_answers: CannedAnswers = {}

    streaming: bool = True
    rich_text: bool = True

    on_uncertain_delivery: Annotated[OnUncertainDelivery, InAnyCase] = "balanced"

    http_port: Annotated[int, Field(ge=0, le=65_535)] = 8080
    log_format: Annotated[Literal["console", "json"], InAnyCase] = "console"
    log_level: Annotated[Literal["debug", "info", "warning", "error"], InAnyCase] = "info"

    @checks_together(mode="after")
    def _quiet_within_cap(self) -> Self:
        if self.debounce_quiet_seconds > self.debounce_cap_seconds:
            raise PydanticCustomError(
                "order", "DEBOUNCE_QUIET_SECONDS must not be greater than DEBOUNCE_CAP_SECONDS"
            )
        return self

    @property
    def bot_id(self) -> int:
        """The bot's user id: the part of the token before the colon."""
        return int(self.telegram_bot_token.get_secret_value().partition(":")[0])

    @property
    def long_quiet(self) -> timedelta:
        """How long to wait after a message that is most likely followed by its rest."""
        return timedelta(seconds=self.debounce_long_quiet_seconds)

    @property
    def secrets(self) -> list[str]:
        """What must never reach a log. A key of a few letters is a word, and no secret."""
        password = urlsplit(self.database_url.get_secret_value()).password or ""
        key = self.openai_api_key.get_secret_value()
        return [
            self.telegram_bot_token.get_secret_value(),
            *(secret for secret in (key, password, unquote(password)) if len(secret) > SHORT_WORD),
        ]

    def model(self) -> ModelSettings:
        """What the model's client needs to know."""
        return ModelSettings(
            api_key=self.openai_api_key.get_secret_value(),
            base_url=self.openai_base_url,
            model=self.openai_model,
            timeout_seconds=self.model_timeout_seconds,
        )

    def rules(self) -> Rules:
        """What coordination needs to know."""
        return Rules(
            quiet=timedelta(seconds=self.debounce_quiet_seconds),
            cap=timedelta(seconds=self.debounce_cap_seconds),
            lease_ttl=timedelta(seconds=self.lease_ttl_seconds),
            max_supersedes=self.max_supersedes,
            max_wait=timedelta(seconds=self.max_wait_seconds),
            max_concurrent_replies=self.max_concurrent_replies,
            model_max_attempts=self.model_max_attempts,
            outage_notice=timedelta(seconds=self.outage_notice_seconds),
            history_messages=self.history_messages,
            summary_tokens=self.summary_tokens,
            model=self.openai_model,
            system_prompt=self.system_prompt,
            on_uncertain_delivery=self.on_uncertain_delivery,
        )


class DatabaseSettings(Surroundings):
    """What a command needs that only looks after the database."""

    database_url: DatabaseUrl
    embedded_data_dir: Folder = None


def load(kind: type[T], **given: Any) -> T:
    """Read the environment and `.env`; `given` goes before both.

    Raises:
        SettingsError: with a line for each variable that is missing or wrong.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        raise SettingsError("\n".join(map(_line, error.errors(include_input=False)))) from None
    except UnicodeDecodeError:
        raise SettingsError(".env: is not UTF-8") from None
    except OSError as error:
        raise SettingsError(f".env: {error.strerror}") from None


def _line(error: ErrorDetails) -> str:
    if not error["loc"]:
        return str(error["msg"])
    name = str(error["loc"][0]).upper()
    if error["type"] == "missing":
        hint = f": {HINTS[name]}" if name in HINTS else ""
        return f"{name} is not set{hint}. Put it in the environment or in .env"
    message = str(error["msg"])
    return f"{name}: {message[0].lower()}{message[1:]}"
