"""What the database says of one conversation, look by look."""

from datetime import datetime
from typing import Any

from bot.demo.timeline import Timeline
from bot.demo.verdict import Ending
from storage import windows
from storage.database import Database
from storage.history import Arrival, PastRun, arrivals, effect_history, run_history
from storage.records import ConversationKey
from storage.snapshot import snapshot

State = dict[str, Any]
BEFORE_ALL: State = {"inbound_seq": 0, "answered_seq": 0, "window": None, "lease": None}


class Tables:
    """Turns the differences between two looks into facts."""

    def __init__(self, db: Database, key: ConversationKey, timeline: Timeline) -> None:
        self._db = db
        self._key = key
        self._timeline = timeline
        self._state = BEFORE_ALL
        self._counted = 0
        self._effects = 0
        self._runs: dict[int, PastRun] = {}

    async def look(self) -> None:
        """Note what has changed since the last look."""
        # In this order a run or a message is looked at with the state that it led to.
        runs = await run_history(self._db, self._key)
        arrived = await arrivals(self._db, self._key)
        effects = await effect_history(self._db, self._key)
        self._state = await snapshot(self._db, self._key) or BEFORE_ALL
        for arrival in arrived[self._counted :]:
            self._counted += 1
            self._note_arrival(arrival)
        for effect in effects[self._effects :]:
            self._effects += 1
            words = f"{effect.tool} {effect.state}: {effect.result}"
            self._timeline.add_at(effect.at, "tool", words)
        for run in runs:
            self._note_run(run, self._runs.get(run.number))
            self._runs[run.number] = run

    async def ending(self) -> Ending | None:
        """The conversation as it stands; None: nothing was ever received."""
        found: State | None = await snapshot(self._db, self._key)
        if found is None:
            return None
        return Ending(
            inbound_seq=found["inbound_seq"],
            answered_seq=found["answered_seq"],
            has_window=await windows.due_in(self._db, self._key) is not None,
            lease_holder=(found["lease"] or {}).get("holder"),
            runs=await run_history(self._db, self._key),
            effects=await effect_history(self._db, self._key),
        )

    def _note_arrival(self, arrival: Arrival) -> None:
        self._timeline.add_at(arrival.at, "counter", f"{self._counted}")
        if window := self._state["window"]:
            change = "opened" if arrival.opened_window else "extended"
            times = f"closes in {window['closes_in']:.1f} s, cap in {window['cap_in']:.1f} s"
            self._timeline.add_at(arrival.at, "window", f"{change}: {times}")

    def _note_run(self, run: PastRun, before: PastRun | None) -> None:
        if before is None:
            self._note_start(run)
        if run.committed_at and not (before and before.committed_at):
            words = "committed, its reply is in the outbox"
            self._timeline.add_at(run.committed_at, f"run {run.number}", words)
        if run.ended_at and not (before and before.ended_at):
            self._note_end(run, run.ended_at)

    def _note_start(self, run: PastRun) -> None:
        if run.kind == "reminder":
            self._timeline.add_at(run.started_at, f"run {run.number}", "a reminder is due")
            return
        self._timeline.add_at(run.started_at, "window", "closed")
        # A run bears the fence of its lease as its number.
        if self._holds(run):
            self._timeline.add_at(run.started_at, "lease", f"taken, fence {run.number}")
        words = f"started for messages {run.first_seq} to {run.last_seq}"
        self._timeline.add_at(run.started_at, f"run {run.number}", words)

    def _note_end(self, run: PastRun, at: datetime) -> None:
        words = f"{run.state}, for messages {run.first_seq} to {run.last_seq}"
        if run.kind == "reminder":
            words = run.state
        if run.state == "superseded":
            words = f"superseded by message {run.last_seq + 1}, nothing was sent"
        self._timeline.add_at(at, f"run {run.number}", words)
        if self._state["answered_seq"] == run.last_seq and run.kind == "burst":
            words = f"{run.last_seq} of {self._state['inbound_seq']}"
            self._timeline.add_at(at, "watermark", words)
        if not self._holds(run):
            self._timeline.add_at(at, "lease", "free")

    def _holds(self, run: PastRun) -> bool:
        lease = self._state["lease"]
        return lease is not None and lease["fence"] == run.number
