"""Counting what comes in. Messages that arrive together are stored by one statement."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from coordination.lease_keeper import LeaseKeeper
from coordination.metrics import DUPLICATES, MESSAGES_RECEIVED
from coordination.ports import Alarm
from coordination.rules import Rules
from storage.cancel import Cancelled, cancel_burst
from storage.database import Database, Unavailable
from storage.edits import edit
from storage.messages import receive
from storage.records import ConversationKey, Counted, Fence, InboundMessage
from storage.stopping import ask_to_stop

MOST_AT_ONCE = 500


@dataclass(slots=True)
class _Arrival:
    message: InboundMessage
    stored: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Receiver:
    """The door: `receive` returns once the message is in the database, and generates nothing."""

    def __init__(self, db: Database, rules: Rules, keeper: LeaseKeeper, alarm: Alarm) -> None:
        self._db = db
        self._rules = rules
        self._keeper = keeper
        self._alarm = alarm
        self._waiting: list[_Arrival] = []
        self._writing: asyncio.Task[None] | None = None

    async def receive(self, message: InboundMessage) -> None:
        """Store and count the message; a message seen before changes nothing.

        Raises:
            Unavailable: the database is away; the message may or may not be stored. Ask again.
        """
        arrival = _Arrival(message)
        self._waiting.append(arrival)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await arrival.stored

    async def correct(self, message: InboundMessage) -> None:
        """Correct a message that was edited; seen before, or older than what we have: nothing.

        Raises:
            Unavailable: the database is away; ask again.
        """
        corrected = await edit(self._db, message, quiet=self._rules.quiet, cap=self._rules.cap)
        if corrected:
            self._tell(corrected)

    async def stop(self, key: ConversationKey) -> None:
        """Have the answer that is being written stop where it is, in whichever process.

        Raises:
            Unavailable: the database is away; ask again.
        """
        if fence := await ask_to_stop(self._db, key):
            self._keeper.stop_run(key, fence)

    async def receive_alone(self, message: InboundMessage, *, quiet: timedelta) -> None:
        """Receive a message after which nobody need wait for more than `quiet`.

        Raises:
            Unavailable: as `receive` does.
        """
        for each in await receive(self._db, [message], quiet=quiet, cap=self._rules.cap):
            MESSAGES_RECEIVED.inc(each.fresh)
            self._tell(each)

    def forgotten(self, ended: Sequence[tuple[ConversationKey, Fence]]) -> None:
        """Have this process stop what it does for conversations that are no more."""
        for key, fence in ended:
            self._keeper.lost(key, fence)

    async def cancel(self, key: ConversationKey, message_id: int, *, reset: bool) -> Cancelled:
        """Settle what is unanswered without a reply; once, however often that command comes.

        Raises:
            Unavailable: the database is away; ask again.
        """
        cancelled = await cancel_burst(self._db, key, message_id, reset=reset)
        if cancelled.fence is not None:
            self._keeper.lost(key, cancelled.fence)
        return cancelled

    async def _write_all(self) -> None:
        # What arrives while a statement is under way goes into the next one.
        try:
            while self._waiting:
                arrivals = self._waiting[:MOST_AT_ONCE]
                del self._waiting[:MOST_AT_ONCE]
                await self._write(arrivals)
        finally:
            self._writing = None

    async def _write(self, arrivals: Sequence[_Arrival]) -> None:
        try:
            counted = await receive(
                self._db,
                [arrival.message for arrival in arrivals],
                quiet=self._rules.quiet,
                cap=self._rules.cap,
            )
        except Exception as error:  # noqa: BLE001 (the caller of `receive` gets it)
            await self._not_written(arrivals, error)
            return
        fresh = sum(each.fresh for each in counted)
        MESSAGES_RECEIVED.inc(fresh)
        DUPLICATES.inc(len(arrivals) - fresh)
        for each in counted:
            self._tell(each)
        for arrival in arrivals:
            if not arrival.stored.done():
                arrival.stored.set_result(None)

    async def _not_written(self, arrivals: Sequence[_Arrival], error: Exception) -> None:
        if len(arrivals) > 1 and not isinstance(error, Unavailable):
            # One of them is at fault; the others must not suffer for it.
            for arrival in arrivals:
                await self._write([arrival])
            return
        for arrival in arrivals:
            if not arrival.stored.done():
                arrival.stored.set_exception(error)

    def _tell(self, counted: Counted) -> None:
        self._keeper.counted(counted.key, counted.inbound_seq, counted.revision)
        self._alarm.set(counted.key, counted.due_in)
