"""`onereply timeline`: the story of one burst. Needs the database and nothing else."""

import heapq
import json
from collections.abc import Iterable
from datetime import UTC, datetime

import typer

from bot.on_database import FAILED, give_up, on_database
from bot.story.phrases import messages
from bot.story.verdict import verdict
from bot.story.words import in_words
from storage.database import Database
from storage.records import ConversationKey
from storage.story import BurstRange, Event, Story, Unknown, story_of

MOST_OTHERS = 5


async def tell_story(chat: int, thread: int, burst: int | None, *, as_json: bool) -> int:
    """Print the story; 1 if there is none to tell, 2 if the database cannot be read."""
    key = ConversationKey(chat, thread)

    async def tell(db: Database) -> int:
        try:
            story = await story_of(db, key, burst)
        except Unknown as error:
            return give_up(str(error), FAILED)
        typer.echo(as_json_text(key, story) if as_json else "\n".join(as_text(key, story)))
        return 0

    return await on_database(tell)


def as_text(key: ConversationKey, story: Story) -> Iterable[str]:
    """The story, line by line."""
    topic = f", topic {key.thread_id}" if key.thread_id else ""
    covered = messages(story.burst.first, story.burst.last)
    began_at = _began_at(story)
    since = "" if began_at is None else f", from {_instant(began_at)}"
    yield f"Chat {key.chat_id}{topic}, burst {story.burst.first}: {covered}{since}"
    if story.others:
        yield f"Other bursts: {_others(story)}"
    yield ""
    for event in story.events:
        yield f"{_offset(story, event):>+10.3f}  {in_words(event)}"
    yield ""
    yield from verdict(story)


def as_json_text(key: ConversationKey, story: Story) -> str:
    """The story for machines, with every name whole."""
    began_at = _began_at(story)
    told = {
        "chat_id": key.chat_id,
        "thread_id": key.thread_id,
        "burst": story.burst.first,
        "last_message": story.burst.last,
        "began_at": None if began_at is None else began_at.isoformat(),
        "other_bursts": [each.first for each in story.others],
        "events": [_event(story, event) for event in story.events],
        "verdict": verdict(story),
    }
    return json.dumps(told, indent=2)


def _event(story: Story, event: Event) -> dict[str, object]:
    return {
        "version": event.version,
        "id": str(event.id),
        "type": event.type,
        "at": event.at.isoformat(),
        "offset_ms": round(1000 * _offset(story, event)),
        "run": event.run,
        "holder": event.holder,
        "causation_id": None if event.causation_id is None else str(event.causation_id),
        "payload": event.payload,
        "words": in_words(event),
    }


def _began_at(story: Story) -> datetime | None:
    """When the first message came; once that was pruned, the first that is known."""
    return story.burst.began_at or next((event.at for event in story.events), None)


def _offset(story: Story, event: Event) -> float:
    return (event.at - (_began_at(story) or event.at)).total_seconds()


def _others(story: Story) -> str:
    """Those next to it, in their order, and how many more there are."""
    nearest = heapq.nsmallest(
        MOST_OTHERS, story.others, key=lambda each: abs(each.first - story.burst.first)
    )
    said = [_other(each) for each in story.others if each in nearest]
    if more := len(story.others) - len(nearest):
        said.append(f"and {more:,} more")
    return ", ".join(said)


def _other(burst: BurstRange) -> str:
    return (
        f"{burst.first}"
        if burst.began_at is None
        else f"{burst.first} ({_instant(burst.began_at)})"
    )


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
