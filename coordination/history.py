"""What was said, as turns for the model."""

from collections.abc import Sequence
from typing import NamedTuple

from coordination.dialogue import as_turns
from llm.contract import Turn
from storage.effects import Effect
from storage.records import SentReply, StoredMessage

MOST_HEARD = 4_000
"""Characters of a file, once it was answered: a prompt has room for many messages, not files."""

NOT_ANSWERED = "(You asked me to stop, so I do not answer this.)"
"""Without it the model would take what was stopped for a part of the next burst."""


class Said(NamedTuple):
    """A turn, and the message that it is, or that it followed."""

    seq: int
    turn: Turn


def history(answered: Sequence[StoredMessage], replies: Sequence[SentReply]) -> list[Said]:
    """Messages and replies as turns, in the order in which they belong together."""
    turns = [
        (message.seq, 0, message.message_id, Turn("user", heard_words(message, MOST_HEARD)))
        for message in answered
    ]
    for reply in replies:
        said = NOT_ANSWERED if reply.text is None else reply.text
        turns.append((reply.last_seq, 1, 0, Turn("assistant", said)))
    return [Said(seq, turn) for seq, _, _, turn in sorted(turns, key=lambda each: each[:3])]


def heard_words(message: StoredMessage, most: int | None = None) -> str:
    """What a message says, and what was read from the files that came with it."""
    if message.heard is None:
        return message.text
    heard = message.heard
    if most is not None and len(heard) > most:
        heard = f"{heard[:most]}\n[the rest is not shown any more]"
    return f"{message.text}\n{heard}"


def with_effects(fresh: Sequence[Said], effects: Sequence[Effect]) -> list[Turn]:
    """The burst as turns; what a run did stands after the messages that the run knew."""
    turns: list[Turn] = []
    waiting = list(fresh)
    for effect in effects:
        while any(message.seq <= effect.last_seq for message in waiting):
            turns.append(waiting.pop(0).turn)
        turns += as_turns(effect)
    return turns + [message.turn for message in waiting]
