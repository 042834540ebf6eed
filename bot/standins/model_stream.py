"""Sends an answer as server-sent events, at the pace of a model or broken off on purpose."""

import asyncio
from collections.abc import Iterable
from itertools import islice

from aiohttp import web

from bot.standins.completions import Completion, Piece, error_object, event
from bot.standins.faults import CutStream
from bot.standins.loopback import hang_up
from bot.standins.model_calls import ModelCall
from bot.standins.wire import encode

_HEADERS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
_SERVER_ERROR = error_object("The server had an error processing your request", "server_error")


class AnswerStream:
    """One streamed answer on its way to one client."""

    def __init__(self, request: web.Request, call: ModelCall, completion: Completion) -> None:
        self._request = request
        self._call = call
        self._completion = completion
        self._response = web.StreamResponse(headers=_HEADERS)

    async def send(self, per_word: float, *, with_usage: bool) -> web.StreamResponse:
        """Send the whole answer."""
        await self._open()
        await self._send_pieces(self._completion.pieces(), per_word)
        await self._response.write(self._completion.closing_events(with_usage=with_usage))
        await self._response.write_eof()
        return self._response

    async def send_cut(self, per_word: float, cut: CutStream) -> web.StreamResponse:
        """Send the beginning of the answer and break off."""
        await self._open()
        await self._send_pieces(islice(self._completion.pieces(), cut.after_words), per_word)
        if cut.ending == "drop":
            hang_up(self._request)
            return self._response
        if cut.ending == "malformed":
            await self._response.write(event(b'{"choices": [{"delta": {"cont'))
        elif cut.ending == "error":
            await self._response.write(event(encode(_SERVER_ERROR)))
        await self._response.write_eof()
        return self._response

    async def _open(self) -> None:
        await self._response.prepare(self._request)
        await self._response.write(self._completion.opening_event())

    async def _send_pieces(self, pieces: Iterable[Piece], per_word: float) -> None:
        if per_word <= 0:
            # Without a pace one write does; a thousand small ones would only cost the benchmark.
            at_once = list(pieces)
            await self._response.write(b"".join(piece.data for piece in at_once))
            self._call.text += "".join(piece.word for piece in at_once)
            return
        for piece in pieces:
            await asyncio.sleep(per_word)
            await self._response.write(piece.data)
            self._call.text += piece.word
