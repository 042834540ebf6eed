"""A process that sweeps, and so sends reminders."""

import asyncio
from datetime import timedelta

from coordination.tools.toolbox import load
from storage import reminders
from storage.database import Database
from storage.records import ConversationKey, InboundMessage
from tests.support.acts import ADA
from tests.support.sweeping import SweepingProcess

TOOLS = load(["bot.tools.reminders"])
ALL_DUE = "UPDATE reminders SET due_at = now() - interval '1 s' RETURNING number"
ONE_HOUR = timedelta(hours=1)


class RemindingProcess(SweepingProcess):
    """The model may ask it for reminders."""

    def __init__(self, db: Database, holder: str) -> None:
        super().__init__(db, holder, TOOLS, limit=2)

    async def meet(self, key: ConversationKey) -> None:
        """A conversation with one message, which is answered."""
        await self.receiver.receive(InboundMessage(key, 1, "hello"))
        answering = asyncio.create_task(self.answerer.answer(key))
        (await self.writer.next_call()).answer("hello")
        await answering


async def one_is_set(db: Database, text: str = "tea", key: str = "k") -> None:
    """For Ada, in an hour."""
    await reminders.set_reminder(db, ADA, key=key, text=text, due_in=ONE_HOUR)
