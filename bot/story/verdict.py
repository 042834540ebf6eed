"""Why did this come twice? Why did nothing come? The answer, from what is known of a burst."""

from collections.abc import Iterator, Sequence

from bot.identity import host_and_pid
from bot.story.phrases import messages, seconds, some
from bot.story.waiting import what_it_waits_for
from storage.story import Event, Story

CERTAIN = ("", "too many requests")
"""Reasons of a delivery put off that leave no doubt: Telegram does not have it."""

ENDS = ("run_sent", "run_failed", "run_undeliverable", "run_cancelled")


def verdict(story: Story) -> list[str]:
    """How the burst ended or what it waits for, and whatever may have come twice or is missing."""
    end = next((event for event in story.events if event.type in ENDS), None)
    return [
        _ended(story, end) if end else what_it_waits_for(story),
        *_twice(story.events),
        *_sent_again_in_doubt(story.events),
        *_held_back(story.events),
        *_counted_twice(story),
        *_left_for_later(story, end),
    ]


def _ended(story: Story, end: Event) -> str:
    covered = messages(story.burst.first, end.payload["answered_seq"])
    match end.type:
        case "run_sent":
            parts = next(
                (
                    each.payload["parts"]
                    for each in story.events
                    if each.type == "run_committed" and each.run == end.run
                ),
                None,
            )
            size = "" if parts is None else f" in {some(parts, 'part')}"
            waited = seconds(end.payload.get("waited_ms"))
            return f"Answered: one reply{size} covers {covered}, {waited} after the first message."
        case "run_failed":
            return f'The user got an apology for {covered}: "{end.payload["reason"]}".'
        case "run_cancelled":
            return f"The user cancelled {covered} with /{end.payload['reason']}: no reply."
        case _:
            return f'No whole reply to {covered}: "{end.payload["reason"]}".'


def _twice(events: Sequence[Event]) -> Iterator[str]:
    """Parts that were started while nobody knew what had become of the start before."""
    started: dict[tuple[int | None, int], Event] = {}
    for event in events:
        if event.type == "parts_recut":
            started.pop((event.run, event.payload["part"]), None)
        if not event.type.startswith("part_"):
            continue
        part = event.payload["part"]
        if event.type != "part_started":
            started.pop((event.run, part), None)
            continue
        if before := started.get((event.run, part)):
            yield f"Part {part} may have come twice: {_why_again(before, event)}"
        started[event.run, part] = event


def _why_again(before: Event, event: Event) -> str:
    one, other = host_and_pid(before.holder), host_and_pid(event.holder)
    if before.holder == event.holder:
        return (
            f"{other} noted twice that it starts. In between it lost its lease, or only an "
            "answer of the database, and then the part went out once."
        )
    return (
        f"it was started twice. {one} died, or lost its lease, before it could record "
        f"the answer, so {other} sent it again."
    )


def _sent_again_in_doubt(events: Sequence[Event]) -> Iterator[str]:
    doubt: tuple[int, str] | None = None
    for event in events:
        match event.type:
            case "part_postponed":
                doubt = (event.payload["part"], "")
            case "delivery_postponed" if doubt:
                doubt = (doubt[0], event.payload["reason"])
            case "part_started" if doubt and doubt[0] == event.payload["part"]:
                if doubt[1] not in CERTAIN:
                    yield (
                        f'Part {doubt[0]} was sent again after "{doubt[1]}". If the first request '
                        "did reach Telegram, it came twice (see ON_UNCERTAIN_DELIVERY)."
                    )
                doubt = None
            case _:
                pass


def _held_back(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        if event.type == "part_unconfirmed":
            yield (
                f"Part {event.payload['part']} may be missing: no answer of Telegram was recorded, "
                "and it was not sent again (see ON_UNCERTAIN_DELIVERY)."
            )


def _counted_twice(story: Story) -> Iterator[str]:
    for same in story.same_texts:
        later = same.later.total_seconds()
        places = f"{same.seq} and {same.seq_again}"
        ids = f"{same.message_id} and {same.message_id_again}"
        yield (
            f"Messages {places} say the same, {later:.1f} s apart, under two "
            f"ids ({ids}): one message counted twice, or one that was written twice."
        )


def _left_for_later(story: Story, end: Event | None) -> Iterator[str]:
    """A reply of its own follows soon after, and looks like a second one."""
    for other in story.others:
        came_before_the_end = end is None or (other.began_at or end.at) < end.at
        if other.first == story.burst.last + 1 and came_before_the_end:
            yield (
                f"Too late for this reply came {messages(other.first, other.last)}: that is burst "
                f"{other.first}, with a reply of its own."
            )
