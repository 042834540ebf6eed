"""The HTTP session to Telegram: knows whether a request went out, and reads odd error answers."""

from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import ClientDecodeError, TelegramNetworkError, TelegramServerError
from aiogram.methods import Response, TelegramMethod
from aiogram.methods.base import TelegramType
from aiohttp import ClientSession, TraceConfig, TraceRequestChunkSentParams


class HeldBack(Exception):
    """A request was not sent, because at the last moment it was not allowed any more."""


class Attempt:
    """One request: `written` once its first bytes may have left this machine."""

    def __init__(self, may_go: Callable[[], bool]) -> None:
        self.may_go = may_go
        self.written = False


current_attempt: ContextVar[Attempt | None] = ContextVar("current_attempt", default=None)


async def _about_to_write(
    _session: ClientSession, _context: object, _params: TraceRequestChunkSentParams
) -> None:
    # aiohttp tells of a chunk before it writes it, with the headers and without giving way in
    # between; every earlier sign is at least one turn of the event loop before the first byte.
    # A process that was stopped for long must not find itself past this point.
    attempt = current_attempt.get()
    if attempt and not attempt.written:
        if not attempt.may_go():
            raise HeldBack
        attempt.written = True


class TelegramSession(AiohttpSession):
    """aiogram's session with two repairs."""

    async def create_session(self) -> ClientSession:
        """Have every request noted in the `current_attempt` of its task."""
        known = self._session
        session = await super().create_session()
        if session is not known:
            trace = TraceConfig()
            trace.on_request_chunk_sent.append(_about_to_write)
            trace.freeze()
            session.trace_configs.append(trace)
        return session

    def check_response(
        self, bot: Bot, method: TelegramMethod[TelegramType], status_code: int, content: str
    ) -> Response[TelegramType]:
        """Raise a Telegram error for every failure, also for those without the usual JSON.

        A gateway in front of Telegram that timed out (504) says nothing about the request.
        """
        try:
            return super().check_response(bot, method, status_code, content)
        except (ClientDecodeError, TypeError) as error:
            if status_code == HTTPStatus.GATEWAY_TIMEOUT:
                raise TelegramNetworkError(method=method, message="gateway timeout") from error
            if status_code >= HTTPStatus.BAD_REQUEST:
                raise TelegramServerError(method=method, message=f"HTTP {status_code}") from error
            raise
