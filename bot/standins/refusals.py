"""How a refusal that a fault asks for goes over the wire."""

from aiohttp import web

from bot.standins.faults import Refuse
from bot.standins.wire import ApiError, failure


def refused(fault: Refuse) -> web.Response:
    """Telegram's JSON, or whatever stands in its way."""
    response = failure(ApiError(fault.status, fault.description, fault.retry_after))
    if fault.raw_body is not None:
        response.body = fault.raw_body
        response.content_type = fault.content_type
    return response
