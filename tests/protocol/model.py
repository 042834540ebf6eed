"""What one conversation must do, told from the words of the protocol and not from its SQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from storage.cancel import Cancelled
from storage.records import (
    Burst,
    CommittedReply,
    Counted,
    Fence,
    Lease,
    PartState,
    Released,
    Renewed,
    Run,
    Seq,
    Taken,
)
from tests.protocol.pieces import Message, Part, RunRow, Window
from tests.protocol.standing import Standing
from tests.support.acts import CAP, MAX_SUPERSEDES, MAX_WAIT, QUIET, TTL


class Conversation(Standing):
    """Each verb changes it and returns what the verb of `storage` must return."""

    def receive(self, given: dict[int, str], now: datetime) -> Counted | None:
        known = {message.message_id for message in self.messages}
        fresh = sorted(given.keys() - known)
        if not fresh:
            return None
        self.messages += [Message(number, given[number], now) for number in fresh]
        self.state.inbound_seq += len(fresh)
        self.state.received_version = self.tells("received", None)
        if self.window is None or self.window.consumed_by is not None:
            told = self.window.told_burst if self.window else None
            self.window = Window(now, now + QUIET, now + CAP, told_burst=told)
        else:
            self.window.gets_a_message(now)
        due_in = (self.window.due_at - now).total_seconds()
        return Counted(self.key, Seq(self.state.inbound_seq), due_in)

    def take(self, holder: str, now: datetime) -> Taken | None:
        if not self.is_due_for(holder, now):
            return None
        state, last = self.state, self.runs.get(self.state.lease_fence)
        if last is not None and last.state == "generating":
            last.ends(self.tells("run_lost", state.lease_fence), "lost", now)
        state.lease_holder, state.lease_expires_at = holder, now + TTL
        state.lease_fence += 1
        lease = Lease(self.key, holder, Fence(state.lease_fence))
        if state.committed_run is not None:
            self.tells("delivery_taken", state.committed_run)
            return Taken(lease, CommittedReply(self.as_it_stands(state.committed_run)))
        return Taken(lease, self._begin(holder, now))

    def _begin(self, holder: str, now: datetime) -> Burst:
        assert self.window is not None
        state = self.state
        self.window.consumed_by, self.window.retry_at = state.lease_fence, None
        version = self.tells("run_generating", state.lease_fence)
        self.runs[state.lease_fence] = RunRow(
            holder, version, state.answered_seq + 1, state.inbound_seq, now
        )
        final_at = self.messages[state.answered_seq].received_at + MAX_WAIT
        if state.superseded_count >= MAX_SUPERSEDES:
            final_at = now
        return Burst(
            run=self.as_it_stands(state.lease_fence),
            answered_seq=Seq(state.answered_seq),
            last_seq=Seq(state.inbound_seq),
            final_at=final_at,
            final_in=(final_at - now).total_seconds(),
            model_attempts=state.model_attempts,
            is_promised=self.window.told_burst == state.answered_seq + 1,
            reset_seq=Seq(state.reset_seq),
        )

    def tell_to_wait(self, after: timedelta, now: datetime) -> bool:
        state, expires_at = self.state, self.state.lease_expires_at
        if self.window is None or self.window.closes_at + after > now:
            return False
        is_being_answered = state.committed_run is not None or (expires_at and expires_at > now)
        burst = state.answered_seq + 1
        if is_being_answered or burst > state.inbound_seq or self.window.told_burst == burst:
            return False
        self.window.told_burst = burst
        self.tells("told_to_wait", None)
        return True

    def renew(self, lease: Lease, now: datetime) -> Renewed | None:
        if not self.is_held(lease):
            return None
        self.state.lease_expires_at = now + TTL
        return Renewed(lease, Seq(self.state.inbound_seq))

    def commit(
        self,
        lease: Lease,
        burst: Burst,
        parts: Sequence[str],
        how: str,
        failure: str | None,
        now: datetime,
    ) -> Run | None:
        state, number = self.state, burst.run.number
        if self.is_held(lease) and state.committed_run == number:
            return self.as_it_stands(number)  # asked again
        may = state.inbound_seq == burst.last_seq or now >= burst.final_at
        if not may or not self.is_valid(lease, now) or not self.is_at(burst.run, "generating"):
            return None
        state.committed_run, state.deliver_after = number, now
        run = self.runs[number]
        run.state, run.version = "committed", self.tells("run_committed", number)
        run.committed_at, run.reply, run.reason = now, "\n".join(parts), failure
        for place, text in enumerate(parts, start=1):
            self.parts[number, place] = Part(text, now, format=how)
        return self.as_it_stands(number)

    def supersede(self, lease: Lease, run: Run, now: datetime) -> Released | None:
        if not self._ends_uncommitted(lease, run, "superseded", now):
            return None
        self.state.superseded_count += 1
        return Released(self.due_in(now))

    def postpone_run(
        self, lease: Lease, run: Run, delay: timedelta, reason: str, now: datetime
    ) -> Released | None:
        if not self._ends_uncommitted(lease, run, "postponed", now, reason):
            return None
        assert self.window is not None
        self.state.model_attempts += 1
        self.window.retry_at, self.window.consumed_by = now + delay, None
        return Released(self.due_in(now))

    def hand_over(self, lease: Lease, run: Run, now: datetime) -> Released | None:
        is_over = self._ends_uncommitted(lease, run, "handed_over", now)
        return Released(0.0) if is_over else None

    def hand_over_delivery(self, lease: Lease, run: Run) -> Released | None:
        if not self.is_held(lease) or self.state.committed_run != run.number:
            return None
        self.tells("delivery_handed_over", run.number)
        self.free()
        return Released(0.0)

    def start_part(self, lease: Lease, run: Run, number: int, now: datetime) -> bool:
        part = self.parts.get((run.number, number))
        is_open = part is not None and part.state in ("pending", "sending")
        if part is None or not is_open or not self.is_valid(lease, now):
            return False
        part.state, part.attempts, part.changed_at = "sending", part.attempts + 1, now
        self.tells("part_started", run.number)
        return True

    def record_part(
        self,
        lease: Lease,
        run: Run,
        number: int,
        told: tuple[PartState, int | None],
        now: datetime,
    ) -> bool:
        part = self.parts.get((run.number, number))
        if part is None or not self.is_held(lease):
            return False
        if (part.state, part.message_id) != told:
            (part.state, part.message_id), part.changed_at = told, now
            name = "postponed" if part.state == "pending" else part.state
            self.tells(f"part_{name}", run.number)
        return True

    def recut(
        self, lease: Lease, run: Run, number: int, texts: Sequence[str], how: str, now: datetime
    ) -> bool:
        part = self.parts.get((run.number, number))
        if part is None or not self.is_held(lease):
            return False
        if part.state == "sending" and part.format != how:
            for place in [each for each in self.parts if each >= (run.number, number)]:
                if place[0] == run.number:
                    del self.parts[place]
            for fresh, text in enumerate(texts, start=number):
                self.parts[run.number, fresh] = Part(text, now, format=how)
            self.tells("parts_recut", run.number)
        return True

    def finish(
        self, lease: Lease, run: Run, unreachable: str | None, now: datetime
    ) -> Released | None:
        if not self.is_held(lease) or not self.is_at(run, "committed"):
            return None
        state, finished = self.state, self.runs[run.number]
        answered = "sent" if finished.reason is None else "failed"
        end = "undeliverable" if unreachable else answered
        finished.ends(self.tells(f"run_{end}", run.number), end, now, unreachable)
        self._give_up_what_is_left_of(run, now)
        state.answered_seq = finished.last_seq
        state.committed_run = state.deliver_after = None
        state.superseded_count = state.model_attempts = 0
        if state.inbound_seq == state.answered_seq:
            self.window = None
        self.free()
        return Released(self.due_in(now))

    def postpone_delivery(self, lease: Lease, delay: timedelta, now: datetime) -> Released | None:
        if not self.is_held(lease) or self.state.committed_run is None:
            return None
        self.tells("delivery_postponed", self.state.committed_run)
        self.state.deliver_after = now + delay
        self.free()
        return Released(self.due_in(now))

    def cancel(self, command: int, now: datetime, *, reset: bool) -> Cancelled:
        state, is_new = self.state, command not in self.commands
        self.commands.add(command)
        if not is_new or not self.messages:
            return Cancelled(0, None, was_done=not is_new)
        if state.committed_run is not None or state.inbound_seq == state.answered_seq:
            committed = self.runs.get(state.committed_run or 0)
            if reset:
                reached = committed.last_seq if committed else state.answered_seq
                state.reset_seq = max(state.answered_seq, reached)
            return Cancelled(0, None)
        return self._settle_unanswered(now, "reset" if reset else "stop", reset=reset)

    def _settle_unanswered(self, now: datetime, reason: str, *, reset: bool) -> Cancelled:
        state, run = self.state, self.runs.get(self.state.lease_fence)
        fence = Fence(state.lease_fence)
        is_under_way = run is not None and run.state == "generating"
        if run is None or not is_under_way:
            run = RunRow("the person", 0, state.answered_seq + 1, 0, now)
            self.runs[fence + 1] = run
        number = fence if is_under_way else fence + 1
        run.ends(self.tells("run_cancelled", number), "cancelled", now, reason)
        run.last_seq = state.inbound_seq
        covered = state.inbound_seq - state.answered_seq
        state.answered_seq, state.lease_fence = state.inbound_seq, fence + 1
        state.superseded_count = state.model_attempts = 0
        if reset:
            state.reset_seq = state.answered_seq
        self.window = None
        self.free()
        return Cancelled(covered, fence if is_under_way else None)

    def free_the_dead(self) -> None:
        self.tells("lease_freed", self.state.committed_run or self.state.lease_fence)
        self.free()

    def _ends_uncommitted(
        self, lease: Lease, run: Run, state: str, now: datetime, reason: str | None = None
    ) -> bool:
        if not self.is_held(lease) or not self.is_at(run, "generating"):
            return False
        version = self.tells(f"run_{state}", run.number)
        self.runs[run.number].ends(version, state, now, reason)
        self.free()
        return True

    def _give_up_what_is_left_of(self, run: Run, now: datetime) -> None:
        for (number, _), part in self.parts.items():
            if number == run.number and part.state in ("pending", "sending"):
                part.state, part.changed_at = "refused", now
