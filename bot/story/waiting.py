"""Why did nothing come yet? What a burst waits for, by PostgreSQL's clock."""

from collections.abc import Sequence

from bot.identity import host_and_pid
from storage.story import Event, Story

NOBODY = "Is a bot running?"


def what_it_waits_for(story: Story) -> str:
    """One sentence about a burst whose end is not in the log."""
    standing = story.standing
    if story.burst.last <= standing.answered_seq:
        return "It is answered, but its end is not in the log: it was before there was one."
    beyond = [each.first for each in story.others if each.first < story.burst.first]
    if beyond and beyond[-1] > standing.answered_seq:
        return f"Nothing came yet: burst {beyond[-1]} is before it, and still being answered."
    if standing.lease_holder and standing.lease_expires_at:
        left = (standing.lease_expires_at - standing.now).total_seconds()
        holder = host_and_pid(standing.lease_holder)
        until = standing.lease_expires_at.strftime("%H:%M:%S")
        if left > 0:
            return (
                f"Nothing came yet: {holder} holds the lease until {until} "
                f"(for {left:.1f} s more, unless it renews it) and is at {_doing(story)}."
            )
        return (
            f"Nothing came yet: {holder} was at {_doing(story)} and has let its "
            f"lease run out at {until}; the next process that looks goes on."
        )
    return _waits_for_time(story)


def _waits_for_time(story: Story) -> str:
    standing = story.standing
    if standing.deliver_after is not None:
        reason = _last_reason(story.events, "delivery_postponed")
        left = (standing.deliver_after - standing.now).total_seconds()
        if left > 0:
            return f"Nothing came yet: the reply is ready, and is sent in {left:.1f} s{reason}."
        return f"Nothing came yet: the reply is ready since {-left:.1f} s. {NOBODY}"
    if standing.due_at is None:
        return "Nothing came, and nothing waits here that would see to it: run `onereply audit`."
    left = (standing.due_at - standing.now).total_seconds()
    if left <= 0:
        return f"Nothing came yet: it is due since {-left:.1f} s, and nobody took it. {NOBODY}"
    if standing.retry_at is not None and standing.retry_at == standing.due_at:
        reason = _last_reason(story.events, "run_postponed")
        return f"Nothing came yet: it waits for a retry in {left:.1f} s{reason}."
    return f"Nothing came yet: the window is still open for {left:.1f} s."


def _doing(story: Story) -> str:
    if run := story.standing.committed_run:
        return f"delivering run {run}"
    last = next((each for each in reversed(story.events) if each.type == "run_generating"), None)
    return f"run {last.run}" if last else "work"


def _last_reason(events: Sequence[Event], kind: str) -> str:
    reasons = [event.payload["reason"] for event in events if event.type == kind]
    return f' after "{reasons[-1]}"' if reasons else ""
