"""Each verb of `storage` beside the model's; every step compared in full."""

from collections.abc import Coroutine, Sequence
from datetime import timedelta
from typing import TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from storage import deliveries, leases, messages, outbox, runs, taking, waiting, windows
from storage.cancel import cancel_burst
from storage.records import (
    Burst,
    ConversationKey,
    Format,
    InboundMessage,
    Lease,
    PartState,
    Run,
    RunNumber,
    Taken,
)
from tests.protocol import guarantees
from tests.protocol.model import Conversation
from tests.protocol.stage import Stage
from tests.support.acts import CAP, MAX_SUPERSEDES, MAX_WAIT, NOON, QUIET, TTL
from tests.support.tables import TABLES, Rows, in_order

T = TypeVar("T")

CHATS = (ConversationKey(1, 0), ConversationKey(1, 7), ConversationKey(2, 0))


class Machine(RuleBasedStateMachine):
    """The model and the database, side by side at one time of the clock."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage, self.db = stage, stage.db
        self.now = NOON
        self.chats = {key: Conversation(key) for key in CHATS}
        self.known: dict[tuple[ConversationKey, RunNumber], Run] = {}
        self.before: Rows = {table: [] for table in TABLES}
        self.is_agreed = True
        stage.empty()

    def agree(self, predicted: T, verb: Coroutine[object, object, T]) -> T:
        """Run the verb: it must return what the model says, and leave the tables so."""
        self.is_agreed = False
        actual = self.stage.run(verb)
        assert _in_order(actual) == _in_order(predicted)
        after = self.stage.rows()
        if not actual:
            assert after == self.before, "G3, G8: what was refused must change nothing"
        guarantees.check(self.before, after)
        assert _in_outline(after) == self._predicted_rows()
        self.before, self.is_agreed = after, True
        return actual

    def _predicted_rows(self) -> Rows:
        chats = [chat.rows() for chat in self.chats.values()]
        return in_order({table: [row for rows in chats for row in rows[table]] for table in TABLES})

    def receive(self, given: Sequence[tuple[ConversationKey, int]]) -> None:
        texts = {
            key: {number: f"text {number}" for chat, number in given if chat == key}
            for key in CHATS
        }
        counted = [self.chats[key].receive(texts[key], self.now) for key in CHATS]
        inbound = [InboundMessage(key, number, texts[key][number]) for key, number in given]
        self.agree(
            [each for each in counted if each],
            messages.receive(self.db, inbound, quiet=QUIET, cap=CAP, now=self.now),
        )

    def look(self, key: ConversationKey, holder: str) -> None:
        due = [each for each, chat in self.chats.items() if chat.is_due_for(holder, self.now)]
        verb = windows.due_conversations(self.db, holder=holder, most=9, now=self.now)
        since = [self.chats[each].due_in(self.now) for each in self.agree(due, verb)]
        assert since == sorted(since, key=lambda seconds: seconds or 0)
        due_in = windows.due_in(self.db, key, now=self.now)
        self.agree(self.chats[key].due_in(self.now), due_in)

    def take(self, key: ConversationKey, holder: str) -> Taken | None:
        verb = taking.take_lease(
            self.db,
            key,
            holder=holder,
            ttl=TTL,
            max_supersedes=MAX_SUPERSEDES,
            max_wait=MAX_WAIT,
            now=self.now,
        )
        return self.agree(self.chats[key].take(holder, self.now), verb)

    def tell_to_wait(self, holder: str, after: timedelta) -> None:
        told = [key for key, chat in self.chats.items() if chat.tell_to_wait(after, self.now)]
        verb = waiting.tell_to_wait(self.db, holder=holder, after=after, most=9, now=self.now)
        self.agree(told, verb)

    def renew(self, held: Sequence[Lease], holder: str) -> None:
        renewed = [self.chats[lease.key].renew(lease, self.now) for lease in held]
        verb = leases.renew_leases(self.db, held, holder=holder, ttl=TTL, now=self.now)
        self.agree([each for each in renewed if each], verb)

    def free(self, dead: Sequence[str]) -> None:
        theirs = [chat for chat in self.chats.values() if chat.state.lease_holder in dead]
        for chat in theirs:
            chat.free_the_dead()
        self.agree(len(theirs), leases.free_leases_of(self.db, dead))

    def run_of(self, taken: Taken, *, is_stale: bool = False) -> Run:
        """The run as its holder knows it, or as it knew it before it heard of the commit."""
        run = taken.work.run
        return run if is_stale else self.known.get((taken.lease.key, run.number), run)

    def hand_over(self, taken: Taken, *, is_stale: bool) -> None:
        lease, run = taken.lease, self.run_of(taken, is_stale=is_stale)
        predicted = self.chats[lease.key].hand_over(lease, run, self.now)
        self.agree(predicted, leases.hand_over(self.db, lease, run, now=self.now))

    def hand_over_delivery(self, taken: Taken) -> None:
        lease, run = taken.lease, self.run_of(taken)
        predicted = self.chats[lease.key].hand_over_delivery(lease, run)
        self.agree(predicted, leases.hand_over_delivery(self.db, lease, run, now=self.now))

    def commit(
        self, lease: Lease, burst: Burst, parts: Sequence[str], failure: str | None
    ) -> Run | None:
        verb = runs.commit_reply(
            self.db,
            lease,
            burst,
            reply="\n".join(parts),
            parts=parts,
            how="rich",
            failure=failure,
            now=self.now,
        )
        chat = self.chats[lease.key]
        committed = self.agree(chat.commit(lease, burst, parts, "rich", failure, self.now), verb)
        if committed:
            self.known[lease.key, committed.number] = committed
        return committed

    def supersede(self, taken: Taken, *, is_stale: bool = False) -> None:
        lease, run = taken.lease, self.run_of(taken, is_stale=is_stale)
        predicted = self.chats[lease.key].supersede(lease, run, self.now)
        self.agree(predicted, runs.supersede(self.db, lease, run, now=self.now))

    def postpone_run(self, taken: Taken, delay: timedelta) -> None:
        lease, run = taken.lease, self.run_of(taken)
        predicted = self.chats[lease.key].postpone_run(lease, run, delay, "busy", self.now)
        self.agree(
            predicted,
            runs.postpone_run(self.db, lease, run, delay=delay, reason="busy", now=self.now),
        )

    def start_part(self, taken: Taken, part: int) -> bool:
        lease, run = taken.lease, taken.work.run
        predicted = self.chats[lease.key].start_part(lease, run, part, self.now)
        return self.agree(predicted, outbox.start_part(self.db, lease, run, part, now=self.now))

    def record_part(self, taken: Taken, part: int, told: tuple[PartState, int | None]) -> None:
        lease, run = taken.lease, taken.work.run
        predicted = self.chats[lease.key].record_part(lease, run, part, told, self.now)
        state, message_id = told
        verb = outbox.record_part(
            self.db, lease, run, part, state=state, message_id=message_id, now=self.now
        )
        self.agree(predicted, verb)

    def recut(self, taken: Taken, part: int, texts: Sequence[str], how: Format) -> None:
        lease, run = taken.lease, taken.work.run
        predicted = self.chats[lease.key].recut(lease, run, part, texts, how, self.now)
        verb = outbox.recut(self.db, lease, run, part, parts=texts, how=how, now=self.now)
        self.agree(predicted, verb)

    def finish(self, taken: Taken, unreachable: str | None, *, is_stale: bool = False) -> None:
        lease, run = taken.lease, self.run_of(taken, is_stale=is_stale)
        predicted = self.chats[lease.key].finish(lease, run, unreachable, self.now)
        self.agree(
            predicted, deliveries.finish(self.db, lease, run, unreachable=unreachable, now=self.now)
        )

    def cancel(self, key: ConversationKey, command: int, *, reset: bool) -> None:
        predicted = self.chats[key].cancel(command, self.now, reset=reset)
        verb = cancel_burst(self.db, key, command, reset=reset, now=self.now)
        self.agree(predicted, verb)

    def postpone_delivery(self, lease: Lease, delay: timedelta) -> None:
        predicted = self.chats[lease.key].postpone_delivery(lease, delay, self.now)
        verb = deliveries.postpone_delivery(
            self.db, lease, delay=delay, reason="busy", now=self.now
        )
        self.agree(predicted, verb)


def _in_outline(rows: Rows) -> Rows:
    """What the model predicts of the events: all but what they say."""
    columns = ("chat_id", "thread_id", "version", "type", "run")
    return {**rows, "events": [{name: row[name] for name in columns} for row in rows["events"]]}


def _in_order(result: object) -> object:
    return sorted(result, key=repr) if isinstance(result, list) else result
