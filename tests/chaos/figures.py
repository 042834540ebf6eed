"""A run in numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from storage.records import ConversationKey
from tests.chaos.evidence import Evidence
from tests.chaos.people import marks
from tests.chaos.resends import resends
from tests.chaos.schedule import Plan
from tests.chaos.wrong import key_of
from tests.support.said import APOLOGY

Figures = dict[str, float]


def figures(plan: Plan, evidence: Evidence) -> Figures:
    """What was done, and what it did."""
    ends = Counter(life.end for life in evidence.lives)
    runs = Counter(row.state for row in evidence.runs)
    parts = Counter(row.state for row in evidence.outbox)
    again = resends(evidence)
    # Apologies are all alike.
    texts = [(key_of(each), each.text) for each in evidence.seen if each.text != APOLOGY]
    return {
        "bursts": plan.bursts,
        "messages": len(evidence.said),
        "processes started": len(evidence.lives),
        "kills": ends["killed"] + ends["killed at a step"],
        "kills at a step": ends["killed at a step"],
        "terminated": ends["terminated"],
        "frozen": sum(len(life.frozen) for life in evidence.lives),
        "wrong clocks": sum(life.birth.clock_shift != 0 for life in evidence.lives),
        "model calls": evidence.model_calls,
        **{f"runs {state}": runs[state] for state in sorted(runs)},
        "parts seen": len(evidence.seen),
        "parts unconfirmed": parts["unconfirmed"],
        "parts refused": parts["refused"],
        "parts sent again": len(again),
        **{f"  after {cause}": times for cause, times in Counter(e.cause for e in again).items()},
        "seen twice": len(texts) - len(set(texts)),
        "put aside": len(evidence.set_aside),
        "longest wait": round(max((wait for wait, _ in waits(evidence)), default=0.0), 1),
        "seconds to calm down": round(evidence.calm_seconds, 1),
        "longest stall of the stand-ins": round(evidence.longest_stall, 1),
    }


def waits(evidence: Evidence) -> Iterator[tuple[float, ConversationKey]]:
    """How long each message waited for the beginning of the reply that covers it, and where."""
    seen: defaultdict[tuple[ConversationKey, str], list[float]] = defaultdict(list)
    for sight in evidence.seen:
        seen[key_of(sight), sight.text].append(sight.at)
    said = {
        (key_of(row), row.seq): evidence.said[number].at
        for row in evidence.messages
        for number in marks(row.text)
    }
    ranges = {
        (key_of(run), run.number): range(run.first_seq, run.last_seq + 1) for run in evidence.runs
    }
    for part in evidence.outbox:
        key = key_of(part)
        for seq in ranges[key, part.run] if part.part == 1 else ():
            at = said[key, seq]
            # Apologies are all alike: this one's is the first that came afterwards.
            if later := [each for each in seen[key, part.text.strip()] if each > at]:
                yield min(later) - at, key
