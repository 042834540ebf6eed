"""What a run tells, and what it keeps when it failed."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.evidence import Evidence
from tests.chaos.figures import waits
from tests.chaos.schedule import Schedule
from tests.chaos.wrong import Wrong

MOST_SHOWN = 20
LAST_LINES = 200


def keep(evidence: Evidence, schedule: Schedule, wrong: Sequence[Wrong]) -> Path:
    """Write everything that helps to understand into a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="onereply-chaos-"))
    _write(folder / "wrong.txt", wrong)
    _write(folder / "schedule.txt", schedule.happenings)
    _write(folder / "log.jsonl", (_line(evidence, place) for place in range(len(evidence.log))))
    _write(folder / "outcries.txt", evidence.outcries)
    _write(folder / "worst-burst.txt", evidence.accounts.worst)
    _, slowest = max(waits(evidence), default=(0.0, None))
    for key in {*(each.key for each in wrong), slowest} - {None}:
        assert key
        name = f"{key.chat_id}-{key.thread_id}"
        rows = [
            row
            for table in (evidence.messages, evidence.runs, evidence.outbox, evidence.conversations)
            for row in table
            if (row.chat_id, row.thread_id) == key
        ]
        seen = [each for each in evidence.seen if (each.chat_id, each.thread_id) == key]
        told = [
            _line(evidence, place)
            for place, line in enumerate(evidence.log)
            if line.fields.get("conversation") == f"{key.chat_id}/{key.thread_id}"
        ]
        _write(folder / f"{name}.txt", [*rows, *seen, *told[-LAST_LINES:]])
    return folder


def _line(evidence: Evidence, place: int) -> str:
    line = evidence.log[place]
    return f"{line.at:.3f} {line.life.pid} {json.dumps(dict(line.fields))}"


def _write(path: Path, lines: object) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")  # type: ignore[attr-defined]
