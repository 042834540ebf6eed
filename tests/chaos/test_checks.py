"""The judge is judged: each kind of failure is noticed, and what is allowed is not."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from signal import SIGKILL
from types import SimpleNamespace
from typing import Any

import pytest

from storage.audit.check import Audit
from storage.projections import Tally
from tests.chaos.accounts import Accounts
from tests.chaos.checks import all_wrong
from tests.chaos.evidence import Evidence, Line, read_logs
from tests.chaos.happenings import Birth
from tests.chaos.people import Said, Sight
from tests.chaos.slots import Life
from tests.support.doomed import DIED_SENDING

CHAT: dict[str, Any] = {"chat_id": 5, "thread_id": 0}
KILLED = Life(1, Path(), Birth(), 0.0, ended=3.0, code=-SIGKILL, signalled=[SIGKILL])
FROZEN = Life(2, Path(), Birth(), 0.0, ended=9.0, code=-SIGKILL, signalled=[SIGKILL])
FROZEN.frozen.append((2.5, 7.0))
OTHER = Life(3, Path(), Birth(), 0.0, ended=9.0, code=-SIGKILL, signalled=[SIGKILL])
REPLY = Sight(**CHAT, text="r1: m1", message_id=70, arrived=2.0, at=2.0)
AGAIN = replace(REPLY, message_id=71, arrived=5.0, at=5.0)
MUCH_LATER = replace(REPLY, message_id=72, arrived=7.0, at=7.0)


def row(**columns: object) -> Any:
    return SimpleNamespace(**CHAT, **columns)


COUNTED = Tally(5, date(2026, 1, 1), "usage", "messages", 1)


def line(life: Life, at: float, event: str, fence: int, **fields: object) -> Line:
    told = {"event": event, "conversation": "5/0", "run": 1, "fence": fence, **fields}
    return Line(life, at, told)


def good(**changed: Any) -> Evidence:
    """One message, one reply, seen once."""
    return replace(
        Evidence(
            messages=[row(seq=1, message_id=60, text="m1")],
            runs=[
                row(number=1, state="sent", first_seq=1, last_seq=1, reply="r1: m1", reason=None)
            ],
            outbox=[part("sent")],
            conversations=[row(inbound_seq=1, answered_seq=1)],
            set_aside=[],
            audit=Audit((), {}),
            said={1: Said(**CHAT, message_id=60, at=1.0)},
            nonsense=[],
            seen=[REPLY],
            notices=[],
            promises=[],
            lives=[KILLED, FROZEN, OTHER],
            log=[],
            outcries=[],
            model_calls=1,
            calm_seconds=1.0,
            longest_stall=0.0,
            accounts=Accounts([COUNTED], [COUNTED], []),
        ),
        **changed,
    )


def part(state: str, message_id: int | None = 70) -> Any:
    return row(run=1, part=1, text="r1: m1", state=state, attempts=1, message_id=message_id)


def resent_by_other_than(holder: Life) -> list[Line]:
    return [
        line(holder, 1.5, "run_started", 1),
        line(OTHER, 4.0, "delivery_resumed", 2),
        line(OTHER, 4.0, "part_resent", 2, part=1),
    ]


def both_after_the_resend(longest_stall: float) -> Evidence:
    return good(
        seen=[AGAIN, MUCH_LATER],
        outbox=[part("sent", 71)],
        log=resent_by_other_than(FROZEN),
        longest_stall=longest_stall,
    )


@pytest.mark.parametrize(
    "evidence",
    [
        good(),
        good(seen=[], outbox=[part("unconfirmed", None)]),
        good(seen=[REPLY, AGAIN], log=resent_by_other_than(KILLED)),
        good(seen=[REPLY, AGAIN], log=resent_by_other_than(FROZEN)),
        both_after_the_resend(longest_stall=1.5),
        good(notices=[REPLY], promises=[row(), row()]),
    ],
    ids=[
        "seen once",
        "unconfirmed",
        "resent after a kill",
        "resent after a freeze",
        "it had waited for a Telegram that stalled",
        "a notice",
    ],
)
def test_what_is_allowed(evidence: Evidence) -> None:
    assert all_wrong(evidence) == []


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (good(messages=[]), "was stored 0 times"),
        (good(conversations=[row(inbound_seq=1, answered_seq=0)]), "answered up to 0 of 1"),
        (good(seen=[]), "never seen"),
        (good(seen=[REPLY, AGAIN]), "seen 2 times, sent again 0 times"),
        (
            good(seen=[REPLY, AGAIN], outbox=[part("unconfirmed", None)]),
            "seen 2 times, sent again 0 times",
        ),
        (both_after_the_resend(longest_stall=0.5), "a zombie sent it"),
        (good(seen=[REPLY, replace(AGAIN, text="who?")]), "not in the outbox"),
        (good(messages=[row(seq=1, message_id=60, text="m9")]), "covers [9] and tells [1]"),
        (good(nonsense=[4]), "nonsense 4 is lost"),
        (good(lives=[replace(KILLED, signalled=[])]), "ended with -9; asked by nobody"),
        (good(notices=[REPLY, AGAIN], promises=[row()]), "told 2 times to wait"),
        (good(log=[line(OTHER, 1.0, "run_broke", 1)]), "run_broke"),
        (good(accounts=Accounts([COUNTED], [], [])), "only live"),
        (good(accounts=Accounts([], [], [])), "0 messages in the read models, 1 stored"),
    ],
)
def test_what_is_not(evidence: Evidence, words: str) -> None:
    assert any(words in str(wrong) for wrong in all_wrong(evidence))


def test_what_is_no_line_of_a_log_is_an_outcry_but_for_the_last_word_of_the_doomed(
    tmp_path: Path,
) -> None:
    life = replace(KILLED, log=tmp_path / "log")
    cut_off = '{"event": "star'
    told = '{"event": "started", "timestamp": "2026-01-01T12:00:00Z"}'
    life.log.write_text(f"{told}\nTraceback\n{cut_off}\n{DIED_SENDING}")
    log, outcries = read_logs([life])
    assert [each.event for each in log] == ["started"]
    assert outcries == ["process 1: Traceback"]
