"""How the stand-in model refuses, in OpenAI's words."""

from aiohttp import web

from bot.standins.completions import error_object
from bot.standins.faults import RefuseCompletion

_SERVER_ERRORS_FROM = 500


class RequestError(Exception):
    """An error answer instead of a completion."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self._status = status
        self._message = message
        self._code = code

    def as_response(self) -> web.Response:
        """The answer as it goes over the wire."""
        body = error_object(self._message, "invalid_request_error", self._code)
        return web.json_response(body, status=self._status)


def refusal(fault: RefuseCompletion) -> web.Response:
    """The answer that a fault asks for."""
    usual = "server_error" if fault.status >= _SERVER_ERRORS_FROM else "invalid_request_error"
    headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
    body = error_object(fault.message, fault.kind or usual, fault.code)
    return web.json_response(body, status=fault.status, headers=headers)
