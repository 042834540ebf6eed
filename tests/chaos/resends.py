"""Parts that were sent again, and why nobody could know whether they had been sent before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from storage.records import ConversationKey
from tests.chaos.evidence import Evidence, Line
from tests.chaos.slots import Life

Cause = Literal["killed", "frozen", "neither killed nor frozen"]

TAKES = ("run_started", "delivery_resumed")


@dataclass(frozen=True, slots=True)
class Resend:
    """Somebody found a part begun by another and sent it again, at that moment."""

    key: ConversationKey
    run: int
    part: int
    at: float
    cause: Cause
    """What had become of those who had the reply before; one of them began it."""


def resends(evidence: Evidence) -> list[Resend]:
    """Every time a process told that it sends a part again."""
    takes = _takes(evidence)
    return [_resend(line, takes) for line in evidence.events("part_resent")]


def conversation_of(fields: Mapping[str, Any]) -> ConversationKey:
    """The conversation that a line of a log is about."""
    chat_id, thread_id = fields["conversation"].split("/")
    return ConversationKey(int(chat_id), int(thread_id))


def _takes(evidence: Evidence) -> dict[tuple[str, int], list[Line]]:
    found: dict[tuple[str, int], list[Line]] = {}
    for line in evidence.log:
        if line.event in TAKES:
            found.setdefault((line.fields["conversation"], line.fields["run"]), []).append(line)
    return found


def _resend(line: Line, takes: Mapping[tuple[str, int], list[Line]]) -> Resend:
    run, fence = line.fields["run"], line.fields["fence"]
    before = [
        take for take in takes[line.fields["conversation"], run] if take.fields["fence"] < fence
    ]
    holders = [take.life for take in before]
    return Resend(
        conversation_of(line.fields), run, line.fields["part"], line.at, _cause(holders, line.at)
    )


def _cause(holders: list[Life], at: float) -> Cause:
    if any(life.ended is not None and life.ended < at for life in holders):
        return "killed"
    if any(began < at for life in holders for began, _ in life.frozen):
        return "frozen"
    return "neither killed nor frozen"
