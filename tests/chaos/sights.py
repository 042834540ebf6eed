"""What people saw against the outbox: nothing twice, nothing invented, nothing swallowed."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row

from storage.records import ConversationKey
from tests.chaos.evidence import Evidence
from tests.chaos.people import Sight
from tests.chaos.resends import Resend, resends
from tests.chaos.wrong import Wrong, key_of
from tests.support.said import APOLOGY

Said = tuple[ConversationKey, str]


def seen_as_recorded(evidence: Evidence) -> Iterator[Wrong]:
    """Each part is seen once, and once more at most for each time it was sent again."""
    sights: defaultdict[Said, list[Sight]] = defaultdict(list)
    for sight in evidence.seen:
        sights[key_of(sight), sight.text].append(sight)
    parts: defaultdict[Said, list[Row[Any]]] = defaultdict(list)
    for part in evidence.outbox:
        # Telegram strips what it gets.
        parts[key_of(part), part.text.strip()].append(part)
    again: defaultdict[tuple[ConversationKey, int, int], list[Resend]] = defaultdict(list)
    for resend in resends(evidence):
        again[resend.key, resend.run, resend.part].append(resend)
    for said, same in parts.items():
        resent = [each for part in same for each in again[said[0], part.run, part.part]]
        found = sights.pop(said, [])
        yield from _compare(said, same, found, resent, evidence.longest_stall)
    for (key, text), unknown in sights.items():
        yield Wrong(f"seen {len(unknown)} times, but not in the outbox: {text[:80]}", key)


def told_to_wait_once(evidence: Evidence) -> Iterator[Wrong]:
    """Nobody hears more often that he has to wait than is noted."""
    promised = Counter(key_of(row) for row in evidence.promises)
    for key, times in Counter(key_of(each) for each in evidence.notices).items():
        if times > promised[key]:
            yield Wrong(f"told {times} times to wait, noted {promised[key]} times", key)


def seen_in_order(evidence: Evidence) -> Iterator[Wrong]:
    """No part of a reply reaches Telegram before the one above it, if that ever does.

    Telegram may be slow to show what it got from a process that was killed meanwhile.
    """
    first: dict[Said, float] = {}
    for sight in evidence.seen:
        said = key_of(sight), sight.text
        first[said] = min(sight.arrived, first.get(said, sight.arrived))
    above: tuple[ConversationKey, int] | None = None
    above_at = 0.0
    for part in evidence.outbox:
        key = key_of(part)
        at = first.get((key, part.text.strip()))
        if at is None or part.text == APOLOGY:
            continue
        if above == (key, part.run) and at < above_at:
            yield Wrong(f"run {part.run}: part {part.part} went out before the one above", key)
        above, above_at = (key, part.run), at


def _compare(
    said: Said,
    parts: list[Row[Any]],
    found: list[Sight],
    resent: list[Resend],
    longest_stall: float,
) -> Iterator[Wrong]:
    key, text = said
    what = ", ".join(f"run {part.run} part {part.part} {part.state}" for part in parts)
    ids = {sight.message_id for sight in found}
    for part in parts:
        if part.state == "sent" and part.message_id not in ids:
            yield Wrong(f"never seen: {what}", key)
    most = sum(part.state != "refused" for part in parts) + len(resent)
    if len(found) > most:
        yield Wrong(f"seen {len(found)} times, sent again {len(resent)} times: {what}", key)
    elif text != APOLOGY and _came_late(found, resent, longest_stall):
        yield Wrong(f"a zombie sent it, after it was sent again: {what}", key)


def _came_late(found: list[Sight], resent: list[Resend], longest_stall: float) -> bool:
    """Whether two requests reached Telegram with no new attempt between, by the living.

    The dead are left out: their last request may wait in a socket longer than they lived. Any
    request may wait there while Telegram itself stalls.
    """
    if any(resend.cause == "killed" for resend in resent):
        return False
    attempt = -1
    for arrived in sorted(sight.arrived for sight in found):
        earliest, latest = (
            sum(resend.at < at for resend in resent) for at in (arrived - longest_stall, arrived)
        )
        attempt = max(attempt + 1, earliest)
        if attempt > latest:
            return True
    return False
