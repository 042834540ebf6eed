"""Is what people saw what the database says they saw? The stand-in's record against the outbox."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from bot.standins.replies import Sent
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from storage.text import storable
from tests.support.said import ONLY_PRIVATE

PARTS = """
SELECT chat_id, thread_id, run, part, text, state, attempts, message_id FROM outbox
ORDER BY chat_id, thread_id, run, part
"""
ANSWERS = """
SELECT m.chat_id, m.thread_id, m.message_id, m.text, count(r.number) AS answers,
    min(r.number) AS run, min(r.state) AS state, min(r.reply) AS reply
FROM messages m LEFT JOIN runs r
    ON r.chat_id = m.chat_id AND r.thread_id = m.thread_id
    AND m.seq BETWEEN r.first_seq AND r.last_seq
    AND r.state IN ('sent', 'failed', 'undeliverable')
GROUP BY m.chat_id, m.thread_id, m.seq
"""

Place = tuple[int, int, str]
"""A chat, a thread, and what stands there."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a person wrote."""

    chat_id: int
    thread_id: int
    message_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is wrong, in words, and how often people saw a part more than once."""

    complaints: tuple[str, ...]
    resent: int


def all_said(telegram: TelegramStandIn) -> list[Said]:
    """What people wrote in private chats, as far back as the stand-in remembers (1000 a chat)."""
    return [
        Said(chat.chat_id, line.thread_id, line.message_id, line.text)
        for chat in telegram.chats.by_id.values()
        if chat.chat_id > 0
        for line in chat.lines.values()
        if not line.from_bot
    ]


async def audit_seen(
    db: Database, said: Sequence[Said], seen: Sequence[Sent], *, echoes: bool = True
) -> Comparison:
    """Compare, once everything is answered. `echoes`: the model repeats all that it answers.

    A part that says `sent` was seen once, and more often only if it was begun more than once; what
    is not known to have arrived was seen at most as often as it was begun; nothing else was seen.
    Each message is stored once and lies in the range of one finished run.
    """
    outbox = _Outbox(await db.fetch(PARTS, {}))
    complaints = [
        *outbox.complaints(seen),
        *_about_answers(said, await db.fetch(ANSWERS, {}), echoes),
    ]
    return Comparison(tuple(complaints), outbox.resent)


class _Outbox:
    """The parts, by what is known of them."""

    def __init__(self, parts: Sequence[Row[Any]]) -> None:
        self.resent = 0
        self._sent: dict[tuple[int, int], Row[Any]] = {}
        self._twins: list[Row[Any]] = []
        self._by_place: defaultdict[Place, list[Row[Any]]] = defaultdict(list)
        for part in parts:
            self._by_place[part.chat_id, part.thread_id, _shown(part.text)].append(part)
            if part.state == "sent" and self._sent.setdefault(_message(part), part) is not part:
                self._twins.append(part)

    def complaints(self, seen: Sequence[Sent]) -> Iterator[str]:
        yield from (f"{_named(part)} has another's message id" for part in self._twins)
        missing = dict(self._sent)
        others: Counter[Place] = Counter()
        for message in seen:
            place = (message.chat_id, message.thread_id, message.text)
            part = missing.pop(_message(message), None)
            if part is None:
                others[place] += 1
            elif (part.chat_id, part.thread_id, _shown(part.text)) != place:
                yield f"{_named(part)} is not what was seen as message {part.message_id}"
        yield from (f"{_named(part)} says sent and was not seen" for part in missing.values())
        for place, times in others.items():
            yield from self._beyond_the_sent(place, times)

    def _beyond_the_sent(self, place: Place, times: int) -> Iterator[str]:
        chat_id, _, text = place
        parts = self._by_place.get(place)
        if parts is None:
            if text != ONLY_PRIVATE or times > 1:
                yield f"chat {chat_id} saw {times} times what is not in the outbox: {text[:60]!r}"
            return
        unsettled = sum(part.state != "sent" and part.attempts > 0 for part in parts)
        self.resent += max(0, times - unsettled)
        if times > (most := sum(map(_most_unrecorded, parts))):
            names = ", ".join(map(_named, parts))
            yield f"{names} seen {times} times more than recorded, {most} were possible"


def _most_unrecorded(part: Row[Any]) -> int:
    """How often a part can have been seen without the outbox knowing the message."""
    last_attempt_is_settled = part.state in ("sent", "refused")
    attempts: int = part.attempts
    return max(0, attempts - last_attempt_is_settled)


def _about_answers(said: Sequence[Said], stored: Sequence[Row[Any]], echoes: bool) -> Iterator[str]:
    by_id = {(row.chat_id, row.thread_id, row.message_id): row for row in stored}
    for message in said:
        row = by_id.pop((message.chat_id, message.thread_id, message.message_id), None)
        name = f"message {message.message_id} of chat {message.chat_id}"
        if row is None:
            yield f"{name} was lost"
        elif row.text != storable(message.text):
            yield f"{name} was stored as something else"
        elif row.answers != 1:
            yield f"{name} was answered {row.answers} times"
        elif echoes and row.state == "sent" and not _is_in(message.text, row.reply):
            yield f"{name} is not in the reply of run {row.run}"
    for row in by_id.values():
        yield f"message {row.message_id} of chat {row.chat_id} was never said"


def _is_in(text: str, reply: str) -> bool:
    return all(line.strip() in reply for line in text.splitlines())


def _named(part: Row[Any]) -> str:
    return f"part {part.part} of run {part.run} of chat {part.chat_id} ({part.state})"


def _message(found: Row[Any] | Sent) -> tuple[int, int]:
    return found.chat_id, found.message_id


def _shown(text: str) -> str:
    """As Telegram shows it."""
    return text.replace("\r", "").strip()
