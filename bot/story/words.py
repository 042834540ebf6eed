"""One event in words. Never what somebody wrote: the log does not have it."""

from collections.abc import Callable, Mapping
from typing import Any

from bot.identity import host_and_pid
from bot.story.phrases import messages, place, seconds, some
from storage.story import Event

Payload = Mapping[str, Any]


def in_words(event: Event) -> str:
    """What the event says; one of a kind that is not known here, by its name and numbers."""
    tell = WORDS.get(event.type)
    return _plainly(event) if tell is None else tell(event, event.payload)


def _holder(event: Event) -> str:
    return host_and_pid(event.holder)


def _received(_event: Event, payload: Payload) -> str:
    said = ", ".join(
        f"message {seq} (id {message_id}, {some(length, 'character')})"
        for seq, message_id, length in zip(
            range(payload["first_seq"], payload["last_seq"] + 1),
            payload["message_ids"],
            payload["lengths"],
            strict=True,
        )
    )
    return f"{said}; {_window(payload)}"


def _edited(_event: Event, payload: Payload) -> str:
    what = f"message {payload['seq']} edited: now {some(payload['length'], 'character')}"
    return f"{what}; it was answered before" if payload["is_answered"] else what


def _window(payload: Payload) -> str:
    closes, cap = payload["closes_in_ms"], payload["cap_in_ms"]
    if payload["opened"]:
        return f"window opened: closes in {seconds(closes)}, at the latest in {seconds(cap)}"
    if closes <= 0:
        return "joined late: the window had closed, and nobody had taken the burst yet"
    if closes >= cap:
        return f"window at its cap: closes in {seconds(closes)}, whatever comes"
    return f"window moved: closes in {seconds(closes)}, at the latest in {seconds(cap)}"


def _run_generating(event: Event, payload: Payload) -> str:
    facts = []
    if payload["superseded"]:
        facts.append(f"{some(payload['superseded'], 'run')} superseded before it")
    if payload["attempt"] > 1:
        facts.append(f"try {payload['attempt']}")
    if payload["final"]:
        facts.append("final: newer messages wait for the next burst")
    asked = messages(payload["first_seq"], payload["last_seq"])
    return f"lease taken by {_holder(event)}, fence {event.run}: run {event.run} for {asked}" + (
        f" ({'; '.join(facts)})" if facts else ""
    )


def _run_lost(event: Event, payload: Payload) -> str:
    expired = payload.get("expired_ms")
    when = "" if expired is None else f", {seconds(expired)} after its lease ran out"
    lost = host_and_pid(payload["holder"])
    return f"run {event.run} given up for lost{when}: {lost} was not heard of again"


def _run_superseded(event: Event, payload: Payload) -> str:
    spent = (payload.get("tokens_in") or 0) + (payload.get("tokens_out") or 0)
    tokens = f", {some(spent, 'token')} spent on it" if spent else ""
    return f"run {event.run} superseded by message {payload['inbound_seq']}{tokens}"


def _run_postponed(event: Event, payload: Payload) -> str:
    return (
        f'run {event.run} postponed after "{payload["reason"]}": '
        f"due again in {seconds(payload['retry_in_ms'])}"
    )


def _run_committed(event: Event, payload: Payload) -> str:
    parts = f"{some(payload['parts'], 'part')}, {some(payload['length'], 'character')}"
    apology = f', an apology for "{payload["reason"]}"' if payload.get("reason") else ""
    return f"run {event.run}: reply committed to the outbox ({parts}{apology})"


def _run_sent(event: Event, payload: Payload) -> str:
    return f"run {event.run} sent{_after(payload)}; watermark {payload['answered_seq']}"


def _run_failed(event: Event, payload: Payload) -> str:
    return (
        f'run {event.run} failed for good ("{payload["reason"]}"), the apology is sent'
        f"{_after(payload)}; watermark {payload['answered_seq']}"
    )


def _run_undeliverable(event: Event, payload: Payload) -> str:
    return (
        f'run {event.run} undeliverable ("{payload["reason"]}"); '
        f"watermark {payload['answered_seq']}"
    )


def _run_cancelled(event: Event, payload: Payload) -> str:
    return (
        f"run {event.run} cancelled by the user with /{payload['reason']}; "
        f"watermark {payload['answered_seq']}"
    )


def _after(payload: Payload) -> str:
    waited = payload.get("waited_ms")
    return "" if waited is None else f", {seconds(waited)} after the first message"


def _part_sent(event: Event, payload: Payload) -> str:
    return f"{_part(event, payload)} sent: message id {payload['message_id']}"


def _part_started(event: Event, payload: Payload) -> str:
    again = f", for the {place(payload['attempts'])} time" if payload["attempts"] > 1 else ""
    return f"{_part(event, payload)} started by {_holder(event)}{again}"


def _part(event: Event, payload: Payload) -> str:
    return f"run {event.run}: part {payload['part']}"


def _model_called(event: Event, payload: Payload) -> str:
    about = "about " if payload.get("estimated") else ""
    tokens_in, tokens_out = payload.get("tokens_in") or 0, payload.get("tokens_out") or 0
    spent = f"{about}{tokens_in:,} tokens in, {tokens_out:,} out"
    reason = f' ("{payload["reason"]}")' if payload.get("reason") else ""
    first = payload.get("first_token_ms")
    begun = "no token came" if first is None else f"first token after {seconds(first)}"
    how = {"tools": "asked for tools"}.get(payload["outcome"], payload["outcome"])
    return (
        f"run {event.run}: model {how}{reason} in {seconds(payload.get('total_ms'))}, "
        f"{begun}, {spent}"
    )


TOOL_OUTCOMES = {
    "done": "done",
    "failed": "failed",
    "unknown": "ended so that nobody knows whether it was done",
    "replayed": "not done again: the result of before was used",
    "given_up": "given up",
    "verified": "found done by the check before a repetition",
    "repeated": "done again, after a process died in the middle",
}


FORMATS = {"entities": "with simple formatting", "plain": "without formatting"}


def _tool_started(event: Event, payload: Payload) -> str:
    again = " again: how the earlier call ended was never heard" if payload["again"] else ""
    return f"run {event.run}: tool {payload['tool']} started{again}, key {payload['key']}"


def _tool_called(event: Event, payload: Payload) -> str:
    outcome = TOOL_OUTCOMES.get(payload["outcome"], payload["outcome"])
    took = f" ({payload['ms']:,} ms)" if payload.get("ms") is not None else ""
    return f"run {event.run}: tool {payload['tool']} {outcome}{took}, key {payload['key']}"


def _plainly(event: Event) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in event.payload.items())
    return f"{event.type.replace('_', ' ')}{': ' if facts else ''}{facts}"


WORDS: Mapping[str, Callable[[Event, Payload], str]] = {
    "received": _received,
    "edited": _edited,
    "run_generating": _run_generating,
    "run_lost": _run_lost,
    "run_superseded": _run_superseded,
    "run_postponed": _run_postponed,
    "run_handed_over": lambda event, _: (
        f"run {event.run} handed over: {_holder(event)} is stopping"
    ),
    "run_committed": _run_committed,
    "run_sent": _run_sent,
    "run_failed": _run_failed,
    "run_undeliverable": _run_undeliverable,
    "run_cancelled": _run_cancelled,
    "delivery_taken": lambda event, _: (
        f"lease taken by {_holder(event)}, to deliver what is left of run {event.run}"
    ),
    "delivery_handed_over": lambda event, _: (
        f"delivery of run {event.run} handed over: {_holder(event)} is stopping"
    ),
    "delivery_postponed": lambda event, payload: (
        f'delivery of run {event.run} postponed after "{payload["reason"]}": '
        f"due again in {seconds(payload['retry_in_ms'])}"
    ),
    "part_started": _part_started,
    "part_sent": _part_sent,
    "part_unconfirmed": lambda event, payload: (
        f"{_part(event, payload)} unconfirmed: no answer came, and it is not sent again"
    ),
    "part_postponed": lambda event, payload: f"{_part(event, payload)} put back, to be sent again",
    "parts_recut": lambda event, payload: (
        f"{_part(event, payload)} refused as it was formatted: "
        f"the rest cut anew into {some(payload['parts'], 'part')}, {FORMATS[payload['format']]}"
    ),
    "lease_freed": lambda _, payload: (
        f"lease freed: {host_and_pid(payload['holder'])} was found dead on this machine"
    ),
    "told_to_wait": lambda _, payload: (
        f"told that the answer waits for the model, after {seconds(payload['waited_ms'])}"
    ),
    "model_called": _model_called,
    "tool_started": _tool_started,
    "tool_called": _tool_called,
    "tool_undone": lambda _, payload: f"tool {payload['tool']} undone, key {payload['key']}",
    "tool_undo_failed": lambda _, payload: (
        f"tool {payload['tool']} could not be undone ({some(payload['attempts'], 'attempt')}, "
        f'"{payload["reason"]}"), key {payload["key"]}'
    ),
    "tool_closed": lambda _, payload: (
        f"tool {payload['tool']} closed by the operator, key {payload['key']}"
    ),
    "reminder_set": lambda _, payload: (
        f"reminder {payload['number']} set, due in {seconds(payload['due_in_ms'])}"
    ),
    "reminder_cancelled": lambda _, payload: f"reminder {payload['number']} cancelled",
}
