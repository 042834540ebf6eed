"""Streamed text in numbered chunks: how it is cut, and how it is put together again."""

from llm.contract import Chunk

_FIRST_HALVES = range(0xD800, 0xDC00)


class Transcript:
    """The text of the latest attempt, whatever chunks are lost, repeated or late."""

    def __init__(self) -> None:
        self._attempt = 0
        self._next_number = 0
        self.text = ""
        """The text so far."""

    def apply(self, chunk: Chunk) -> bool:
        """Append the chunk if it is the next one; a later attempt's first one starts afresh."""
        if chunk.attempt > self._attempt and chunk.number == 0:
            self._attempt, self.text = chunk.attempt, ""
        elif (chunk.attempt, chunk.number) != (self._attempt, self._next_number):
            return False
        self.text += chunk.text
        self._next_number = chunk.number + 1
        return True


class Cutter:
    """Makes numbered chunks of the pieces of one attempt.

    Some servers cut between the two halves of an emoji, and JSON lets half a one through: a first
    half waits for its second, and what stays half is replaced.
    """

    def __init__(self, attempt: int) -> None:
        self._attempt = attempt
        self._next_number = 0
        self._half = ""

    def cut(self, piece: str) -> Chunk | None:
        """Return the next chunk, unless nothing whole has come."""
        text, self._half = self._half + piece, ""
        if text and ord(text[-1]) in _FIRST_HALVES:
            text, self._half = text[:-1], text[-1]
        return self._numbered(text)

    def rest(self) -> Chunk | None:
        """Return what still waited for its second half when the text ended."""
        text, self._half = self._half, ""
        return self._numbered(text)

    def _numbered(self, text: str) -> Chunk | None:
        if not text:
            return None
        chunk = Chunk(self._attempt, self._next_number, whole_characters(text))
        self._next_number += 1
        return chunk


def whole_characters(text: str) -> str:
    """Join the halves of characters that stand side by side and replace those that stand alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
