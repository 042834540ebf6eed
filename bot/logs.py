"""Logging: structlog for everything, the libraries' lines included; secrets are cut out."""

import logging
import sys
from collections.abc import Sequence

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.settings import Settings

# At info these would say more than the bot itself.
QUIET_LIBRARIES = (
    "aiogram.event",
    "aiogram.dispatcher",
    "aiohttp.access",
    "alembic.runtime.plugins",
    "apscheduler",
    "httpx2",
)


def set_up_logging(settings: Settings) -> None:
    """Send every log line to stderr in the format that was asked for."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(settings.log_level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        Redacting(
            settings.secrets,
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _without_nothing,
                *_rendering(settings.log_format),
            ],
        )
    )
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    for name in QUIET_LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)


def _rendering(log_format: str) -> list[Processor]:
    if log_format == "json":
        return [
            structlog.processors.format_exc_info,
            _conversation_as_text,
            structlog.processors.JSONRenderer(),
        ]
    return [
        _conversation_as_text,
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        ),
    ]


def _without_nothing(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """What is None says nothing."""
    return {key: value for key, value in event.items() if value is not None}


def _conversation_as_text(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    if (key := event.get("conversation")) is not None:
        event["conversation"] = f"{key.chat_id}/{key.thread_id}"
    return event


class Redacting(structlog.stdlib.ProcessorFormatter):
    """Renders a line and cuts the secrets out of it, wherever they came from."""

    def __init__(self, secrets: Sequence[str], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        """Render the record, secrets replaced by asterisks."""
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line
