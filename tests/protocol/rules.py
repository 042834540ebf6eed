"""What processes may do, in any order: the rules that Hypothesis plays."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from storage.records import Burst, ConversationKey, Format, PartState
from tests.protocol.machine import CHATS
from tests.protocol.processes import Hand, Processes

TICK, NOTHING = timedelta(microseconds=1), timedelta(0)

keys = st.sampled_from(CHATS)
processes = st.integers(0, 2)
delays = st.sampled_from([NOTHING, timedelta(seconds=1), timedelta(seconds=45)])
offsets = st.sampled_from([-TICK, NOTHING, NOTHING, TICK])
numbers = st.integers(1, 9)
replies = st.sampled_from([["one", "two"], ["one"]])
failures = st.sampled_from([None, None, "no answer"])
told: st.SearchStrategy[tuple[PartState, int | None]] = st.sampled_from(
    [("sent", 900), ("unconfirmed", None), ("pending", None)]
)
formats: st.SearchStrategy[Format] = st.sampled_from(["entities", "plain"])
hands = st.tuples(st.sampled_from([True, True, True, False]), st.integers(0, 9))


def somebody_took(machine: "Protocol") -> bool:
    return bool(machine.taken)


class Protocol(Processes):
    """Three processes, three conversations, one clock."""

    @rule(given=st.lists(st.tuples(keys, numbers), min_size=1, max_size=5))
    def messages_come(self, given: list[tuple[ConversationKey, int]]) -> None:
        self.receive(given)

    @rule(key=keys)
    def a_new_message_comes(self, key: ConversationKey) -> None:
        self.receive([(key, 10 + len(self.chats[key].messages))])

    @rule(key=keys)
    def somebody_types_beyond_the_cap(self, key: ConversationKey) -> None:
        for _ in range(6):
            self.a_new_message_comes(key)
            self.now += timedelta(seconds=1.9)

    @rule(seconds=st.sampled_from([0.3, 2, 5, 31, 61]))
    def time_passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: any(self.instants()))
    @rule(place=st.integers(0, 9), offset=offsets)
    def time_passes_to_an_instant(self, place: int, offset: timedelta) -> None:
        instants = sorted(self.instants())
        self.now = max(self.now, instants[place % len(instants)] + offset)

    @rule(key=keys, process=processes)
    def process_looks(self, key: ConversationKey, process: int) -> None:
        self.look(key, self.names[process])

    @rule(key=keys, process=processes, offset=offsets)
    def process_takes_once_due(self, key: ConversationKey, process: int, offset: timedelta) -> None:
        if due_at := self.chats[key].due_at():
            self.now = max(self.now, due_at + offset)
            self.takes(key, self.names[process])

    @rule(key=keys, process=processes)
    def process_takes(self, key: ConversationKey, process: int) -> None:
        self.takes(key, self.names[process])

    @rule(process=processes, after=delays)
    def the_model_is_away(self, process: int, after: timedelta) -> None:
        self.tell_to_wait(self.names[process], after)

    @precondition(somebody_took)
    @rule(hand=hands, is_alone=st.booleans())
    def process_renews(self, hand: Hand, is_alone: bool) -> None:
        lease = self.in_hand(hand).lease
        every = [each.lease for known in self.taken.values() for each in known]
        theirs = [each for each in every if each.holder == lease.holder]
        self.renew([lease] if is_alone else theirs, lease.holder)

    @precondition(somebody_took)
    @rule(hand=hands, process=processes, offset=offsets, does_holder_wake=st.booleans())
    def a_lease_runs_out(
        self, hand: Hand, process: int, offset: timedelta, does_holder_wake: bool
    ) -> None:
        taken = self.in_hand(hand)
        if expires_at := self.chat_of(taken).state.lease_expires_at:
            self.now = max(self.now, expires_at + offset)
        if not does_holder_wake:
            self.takes(taken.lease.key, self.names[process])
        elif isinstance(taken.work, Burst) and not self.has_committed(taken):
            self.commit(taken.lease, taken.work, ["one"], None)
        else:
            self.start_part(taken, self.next_part(taken) or 1)

    @precondition(somebody_took)
    @rule(hand=hands, is_found=st.booleans())
    def a_holder_crashes(self, hand: Hand, is_found: bool) -> None:
        holder = self.in_hand(hand).lease.holder
        self.dead.append(holder)
        self.names = [f"{name}'" if name == holder else name for name in self.names]
        if is_found:
            self.dead_are_found()

    @precondition(lambda self: bool(self.dead))
    @rule()
    def dead_are_found(self) -> None:
        self.free(self.dead)
        self.dead.clear()

    @precondition(somebody_took)
    @rule(hand=hands, is_stale=st.booleans())
    def process_hands_over(self, hand: Hand, is_stale: bool) -> None:
        self.hand_over(self.in_hand(hand), is_stale=is_stale)

    @precondition(somebody_took)
    @rule(hand=hands)
    def process_hands_over_a_delivery(self, hand: Hand) -> None:
        self.hand_over_delivery(self.in_hand(hand, is_committed=True))

    @precondition(somebody_took)
    @rule(hand=hands, reply=replies, failure=failures)
    def process_commits(self, hand: Hand, reply: list[str], failure: str | None) -> None:
        taken = self.in_hand(hand, is_committed=False)
        if isinstance(taken.work, Burst):
            self.commit(taken.lease, taken.work, reply, failure)

    @precondition(somebody_took)
    @rule(hand=hands, is_stale=st.booleans())
    def process_supersedes(self, hand: Hand, is_stale: bool) -> None:
        self.supersede(self.in_hand(hand, is_committed=False), is_stale=is_stale)

    @precondition(somebody_took)
    @rule(hand=hands, delay=delays)
    def process_postpones(self, hand: Hand, delay: timedelta) -> None:
        self.postpone_run(self.in_hand(hand, is_committed=False), delay)

    @precondition(somebody_took)
    @rule(hand=hands, is_from_the_start=st.booleans())
    def process_starts_a_part(self, hand: Hand, is_from_the_start: bool) -> None:
        taken = self.in_hand(hand, is_committed=True)
        self.start_part(taken, 1 if is_from_the_start else self.next_part(taken) or 2)

    @precondition(somebody_took)
    @rule(hand=hands, told=told)
    def process_sends_a_part(self, hand: Hand, told: tuple[PartState, int | None]) -> None:
        taken = self.in_hand(hand, is_committed=True)
        part = self.next_part(taken)
        if part and self.start_part(taken, part):
            self.record_part(taken, part, told)

    @precondition(somebody_took)
    @rule(hand=hands, told=told, is_asked_again=st.booleans())
    def process_records_a_part(
        self, hand: Hand, told: tuple[PartState, int | None], is_asked_again: bool
    ) -> None:
        taken = self.in_hand(hand, is_committed=True)
        if self.has_started_a_part(taken) or not self.is_held(taken):
            part = self.next_part(taken) or 1
            self.record_part(taken, part, told)
            if is_asked_again:
                self.record_part(taken, part, told)

    @precondition(somebody_took)
    @rule(hand=hands, texts=st.sampled_from([["1"], ["1", "2", "3"]]), how=formats)
    def process_cuts_a_part_anew(self, hand: Hand, texts: list[str], how: Format) -> None:
        taken = self.in_hand(hand, is_committed=True)
        part = self.next_part(taken) or 1
        self.recut(taken, part, texts, how)
        self.recut(taken, part, texts, how)

    @precondition(somebody_took)
    @rule(hand=hands, is_asked_again=st.booleans(), is_stale=st.booleans())
    def process_finishes(self, hand: Hand, is_asked_again: bool, is_stale: bool) -> None:
        """For good, if parts are left."""
        taken = self.in_hand(hand, is_committed=True)
        unreachable = None if self.next_part(taken) is None else "blocked"
        self.finish(taken, unreachable, is_stale=is_stale)
        if is_asked_again:
            self.finish(taken, unreachable)

    @precondition(somebody_took)
    @rule(hand=hands, delay=delays)
    def process_postpones_delivery(self, hand: Hand, delay: timedelta) -> None:
        self.postpone_delivery(self.in_hand(hand, is_committed=True).lease, delay)

    @rule(key=keys, command=st.integers(1, 30), reset=st.booleans())
    def the_person_cancels(self, key: ConversationKey, command: int, reset: bool) -> None:
        self.cancel(key, command, reset=reset)

    @rule(key=keys, process=processes)
    def process_answers(self, key: ConversationKey, process: int) -> None:
        if taken := self.takes(key, self.names[process]):
            self.completes(taken)

    @rule(key=keys, process=processes, reply=replies, failure=failures)
    def process_takes_and_commits(
        self, key: ConversationKey, process: int, reply: list[str], failure: str | None
    ) -> None:
        self.process_takes_once_due(key, process, NOTHING)
        if burst_held := self.burst_held(key):
            self.commit(*burst_held, reply, failure)

    @rule(key=keys, process=processes, delay=delays)
    def process_takes_and_postpones(
        self, key: ConversationKey, process: int, delay: timedelta
    ) -> None:
        self.process_takes_once_due(key, process, NOTHING)
        if self.burst_held(key):
            self.postpone_run(self.taken[key][-1], delay)

    @rule(key=keys, process=processes, times=st.integers(1, 3))
    def messages_come_during_the_runs(self, key: ConversationKey, process: int, times: int) -> None:
        for _ in range(times):
            self.process_takes_once_due(key, process, NOTHING)
            self.a_new_message_comes(key)
            burst_held = self.burst_held(key)
            if burst_held and not self.commit(*burst_held, ["one"], None):
                self.supersede(self.taken[key][-1])
