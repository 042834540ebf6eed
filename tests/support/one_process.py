"""One process of the bot between scripted edges, on a real database."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any

from bot.standins.news import HANG_SECONDS
from coordination.answer import Answerer
from coordination.breaker import Breaker
from coordination.briefing import Briefing
from coordination.compose import Composer
from coordination.deliver import Deliverer
from coordination.dialogue import Dialogue
from coordination.lease_keeper import HeldLease, LeaseKeeper
from coordination.patience import RetryPolicy
from coordination.ports import Words
from coordination.reading import Reading
from coordination.receive import Receiver
from coordination.rules import Rules
from coordination.summary import Summarizer
from coordination.tools.ledger import Ledger
from coordination.tools.perform import Performer
from coordination.tools.resources import Resources
from coordination.tools.toolbox import Toolbox
from coordination.tools.undo import Undoer
from coordination.voice import Voice
from storage import taking
from storage.database import Database
from storage.records import ConversationKey, Format, InboundMessage, Taken
from tests.support.acts import ADA, TTL
from tests.support.edges import (
    AlarmBook,
    HeldWriter,
    ModelCall,
    ScriptedAttachments,
    ScriptedCourier,
)
from tests.support.gates import Gate

AT_ONCE = timedelta(0)

RULES = Rules(
    quiet=AT_ONCE,
    cap=AT_ONCE,
    lease_ttl=TTL,
    max_supersedes=2,
    max_wait=timedelta(seconds=60),
    max_concurrent_replies=2,
    model_max_attempts=3,
    outage_notice=timedelta(seconds=30),
    history_messages=40,
    summary_tokens=0,
    model="model",
    system_prompt="",
    on_uncertain_delivery="balanced",
)

# Whatever waits for its next attempt.
DUE_NOW = "UPDATE windows SET retry_at = NULL RETURNING 1"

NO_TOOLS = Toolbox()


class ShortWords:
    """What the bot itself says, in any language."""

    def apology(self, language: str | None) -> str:  # noqa: ARG002
        return "Sorry."

    def stopped(self, language: str | None) -> str:  # noqa: ARG002
        return "Stopped."

    def please_wait(self, language: str | None) -> str:  # noqa: ARG002
        return "Wait."


SHORT_WORDS = ShortWords()


UNDOING_AT_ONCE = RetryPolicy(base=0, attempts=4)


def lines_of(text: str, how: Format) -> list[str]:
    """A part for each line; for each word, with entities."""
    return (
        text.split() if how == "entities" else [line for line in text.splitlines() if line.strip()]
    )


class OneProcess:
    """Its parts, as the composition root puts them together."""

    def __init__(
        self,
        db: Database,
        holder: str,
        toolbox: Toolbox = NO_TOOLS,
        *,
        undoing: RetryPolicy = UNDOING_AT_ONCE,
        words: Words = SHORT_WORDS,
        breaker: Breaker | None = None,
        **changed: Any,
    ) -> None:
        self.db = db
        self.rules = replace(RULES, **changed)
        self.writer, self.courier, self.alarm = HeldWriter(), ScriptedCourier(), AlarmBook()
        self.keeper = LeaseKeeper(db, holder=holder, ttl=self.rules.lease_ttl)
        self.breaker = breaker or Breaker()
        self.dead: set[str] = set()
        is_dead = self.dead.__contains__
        resources = Resources(db, ttl=self.rules.lease_ttl, is_dead=is_dead)
        performer = Performer(db, toolbox, Ledger(db, is_dead), resources)
        self.undoer = Undoer(db, toolbox, resources, holder=holder, policy=undoing)
        dialogue = Dialogue(db, self.writer, performer, self.breaker)
        summarizer = Summarizer(db, self.rules, dialogue)
        self.attachments = ScriptedAttachments()
        reading = Reading(db, self.attachments)
        briefing = Briefing(db, self.rules, dialogue, summarizer, reading)
        self.voice = voice = Voice(db, words)
        self.composer = Composer(self.rules, dialogue, briefing, self.courier, voice, self.breaker)
        self.deliverer = Deliverer(db, self.rules, self.courier, cut=lines_of)
        self.receiver = Receiver(db, self.rules, self.keeper, self.alarm)
        self.answerer = Answerer(
            db,
            self.rules,
            self.keeper,
            self.alarm,
            self.breaker,
            self.composer,
            self.deliverer,
            voice,
        )

    async def hear(self, *message_ids: int) -> None:
        """Messages come in, one after the other; the window closes at once."""
        for number in message_ids:
            await self.receiver.receive(InboundMessage(ADA, number, f"text {number}"))

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[ModelCall]:
        """A run while the model works; after the block it must come to its end."""
        task = asyncio.create_task(self.answerer.answer(ADA))
        yield await self.writer.next_call()
        async with asyncio.timeout(HANG_SECONDS):
            await task

    @asynccontextmanager
    async def answering_at_last(self, reached: Gate, held_up: Gate) -> AsyncIterator[ModelCall]:
        """The same for a run that waits, once it came to the one gate, for the other to open."""
        task = asyncio.create_task(self.answerer.answer(ADA))
        await reached.arrival()
        assert not task.done()
        held_up.open()
        yield await self.writer.next_call()
        async with asyncio.timeout(HANG_SECONDS):
            await task

    async def answers(self, text: str) -> None:
        """A run in which the model answers so."""
        async with self.answering() as call:
            call.answer(text)

    async def take(self, key: ConversationKey = ADA) -> Taken:
        taken = await taking.take_lease(
            self.db,
            key,
            holder=self.keeper.holder,
            ttl=self.rules.lease_ttl,
            max_supersedes=self.rules.max_supersedes,
            max_wait=self.rules.max_wait,
        )
        assert taken
        return taken

    @contextmanager
    def holding(self, taken: Taken, *, seconds_ago: float = 0) -> Iterator[HeldLease]:
        """The lease while somebody works under it; it was asked for so many seconds ago."""
        with self.keeper.holding(taken, monotonic() - seconds_ago) as held:
            yield held
