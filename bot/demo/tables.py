"""What the database says of one conversation, look by look."""

from time import monotonic
from typing import Any

from bot.demo.timeline import Timeline
from bot.demo.verdict import Ending
from storage import windows
from storage.database import Database
from storage.records import ConversationKey
from storage.run_history import PastRun, run_history
from storage.snapshot import snapshot

Row = dict[str, Any]
BEFORE_ALL: Row = {"inbound_seq": 0, "answered_seq": 0, "window": None, "lease": None}


class Tables:
    """Turns the differences between two looks into facts."""

    def __init__(
        self, db: Database, key: ConversationKey, timeline: Timeline, *, lease_ttl: float
    ) -> None:
        self._db = db
        self._key = key
        self._timeline = timeline
        self._lease_ttl = lease_ttl
        self._seen = BEFORE_ALL
        self._runs: dict[int, PastRun] = {}

    async def look(self) -> None:
        """Note what has changed since the last look."""
        found: Row = await snapshot(self._db, self._key) or BEFORE_ALL
        runs = await run_history(self._db, self._key)
        now, before, self._seen = monotonic(), self._seen, found
        self._note_counter(now, before, found)
        self._note_take(now, before["lease"], found["lease"])
        for run in runs:
            self._note_run(now, self._runs.get(run.number), run)
            self._runs[run.number] = run
        self._note_end(now, before, found)

    async def ending(self) -> Ending | None:
        """The conversation as it stands; None: nothing was ever received."""
        found: Row | None = await snapshot(self._db, self._key)
        if found is None:
            return None
        return Ending(
            inbound_seq=found["inbound_seq"],
            answered_seq=found["answered_seq"],
            has_window=await windows.due_in(self._db, self._key) is not None,
            lease_holder=(found["lease"] or {}).get("holder"),
            runs=await run_history(self._db, self._key),
        )

    def _note_counter(self, now: float, before: Row, found: Row) -> None:
        if found["inbound_seq"] == before["inbound_seq"]:
            return
        self._timeline.add(now, "counter", f"{found['inbound_seq']}")
        if window := found["window"]:
            change = "extended" if before["window"] else "opened"
            times = f"closes in {window['closes_in']:.1f} s, cap in {window['cap_in']:.1f} s"
            self._timeline.add(now, "window", f"{change}: {times}")

    def _note_take(self, now: float, before: Row | None, found: Row | None) -> None:
        if found and (before is None or before["fence"] != found["fence"]):
            at = now - max(self._lease_ttl - found["expires_in"], 0)
            self._timeline.add(at, "window", "closed")
            self._timeline.add(at, "lease", f"taken, fence {found['fence']}")

    def _note_run(self, now: float, before: PastRun | None, run: PastRun) -> None:
        topic, covers = f"run {run.number}", f"messages {run.first_seq} to {run.last_seq}"
        if before is None:
            self._timeline.add(now - run.started_ago, topic, f"started for {covers}")
        if run.committed_ago is not None and (before is None or before.committed_ago is None):
            at = now - run.committed_ago
            self._timeline.add(at, topic, "committed, its reply is in the outbox")
        if run.ended_ago is not None and (before is None or before.ended_ago is None):
            words = f"{run.state}, for {covers}"
            if run.state == "superseded":
                words = f"superseded by message {run.last_seq + 1}, nothing was sent"
            self._timeline.add(now - run.ended_ago, topic, words)

    def _note_end(self, now: float, before: Row, found: Row) -> None:
        if found["answered_seq"] != before["answered_seq"]:
            words = f"{found['answered_seq']} of {found['inbound_seq']}"
            self._timeline.add(now, "watermark", words)
        if before["lease"] and not found["lease"]:
            self._timeline.add(now, "lease", "free")
