"""The processes: which leases they took, lost ones included, and how they bring a reply home."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from storage.records import Burst, ConversationKey, Lease, Taken
from tests.protocol.machine import Machine
from tests.protocol.model import Conversation
from tests.protocol.stage import Stage

Hand = tuple[bool, int]
"""A lease that is held now, or any that ever was; and its place, the newest first."""


class Processes(Machine):
    """Three of them, which crash and come back under other names."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.names = ["ada", "bob", "cyd"]
        self.dead: list[str] = []
        self.taken: dict[ConversationKey, list[Taken]] = {}

    def in_hand(self, hand: Hand, *, is_committed: bool | None = None) -> Taken:
        """A take by any process; of those that are held, one that has or has not committed."""
        is_live, age = hand
        every = [each for known in self.taken.values() for each in reversed(known)]
        live = [each for each in every if self.is_held(each)]
        fit = [each for each in live if is_committed in (None, self.has_committed(each))]
        known = (is_live and (fit or live)) or every
        return known[age % len(known)]

    def is_held(self, taken: Taken) -> bool:
        return self.chat_of(taken).is_held(taken.lease)

    def burst_held(self, key: ConversationKey) -> tuple[Lease, Burst] | None:
        """The newest take of that conversation, if it is held and has a burst to answer."""
        newest = self.taken[key][-1] if key in self.taken else None
        if newest is None or not self.is_held(newest) or not isinstance(newest.work, Burst):
            return None
        return newest.lease, newest.work

    def has_committed(self, taken: Taken) -> bool:
        return self.chat_of(taken).state.committed_run is not None

    def chat_of(self, taken: Taken) -> Conversation:
        return self.chats[taken.lease.key]

    def takes(self, key: ConversationKey, holder: str) -> Taken | None:
        taken = self.take(key, holder)
        if taken:
            fences = [each.lease.fence for each in self.taken.setdefault(key, [])]
            assert taken.lease.fence not in fences, "G3: a fence is handed out once"
            self.taken[key].append(taken)
        return taken

    def completes(self, taken: Taken) -> None:
        if isinstance(taken.work, Burst):
            assert self.commit(taken.lease, taken.work, ["one", "two"], None)
        while part := self.next_part(taken):
            assert self.start_part(taken, part)
            self.record_part(taken, part, ("sent", 900))
        self.finish(taken, None)

    def has_started_a_part(self, taken: Taken) -> bool:
        if (part := self.next_part(taken)) is None:
            return False
        return self.chat_of(taken).parts[taken.work.run.number, part].state == "sending"

    def next_part(self, taken: Taken) -> int | None:
        """The first part of the reply, if it has any, that may still have to go out."""
        parts = self.chat_of(taken).parts.items()
        return next(
            (
                number
                for (run, number), part in parts
                if run == taken.work.run.number and part.state in ("pending", "sending")
            ),
            None,
        )

    def instants(self) -> Iterator[datetime]:
        """Times to come at which an answer may change."""
        for key, chat in self.chats.items():
            known = [chat.state.lease_expires_at, chat.state.deliver_after]
            if window := chat.window:
                known += [window.closes_at, window.cap_at, window.retry_at]
            if key in self.taken and isinstance(work := self.taken[key][-1].work, Burst):
                known.append(work.final_at)
            yield from (instant for instant in known if instant and instant >= self.now)

    def teardown(self) -> None:
        """G6: nothing is lost; whatever happened, in the end somebody answers everything."""
        if not self.is_agreed:
            return
        for key, chat in self.chats.items():
            while chat.state.inbound_seq > chat.state.answered_seq:
                self.now += timedelta(days=1)
                taken = self.takes(key, "eve")
                assert taken
                self.completes(taken)
            assert not self.takes(key, "eve"), "G8: nothing is due"
        self.stage.assert_guarantees()
