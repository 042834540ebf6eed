"""One run: everything is started, the schedule happens, everything calms down."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import assert_never

from bot.standins.model import ModelStandIn
from bot.standins.switchboard import Order, Switchboard
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from tests.chaos.database_troubles import TroubledDatabase, troubled_database
from tests.chaos.evidence import Evidence, collect
from tests.chaos.happenings import (
    Block,
    DatabaseTrouble,
    Freeze,
    Happening,
    Kill,
    Say,
    SayNonsense,
    Switch,
    Terminate,
)
from tests.chaos.people import People, Thinker
from tests.chaos.schedule import Plan, Schedule
from tests.chaos.slots import Slot
from tests.chaos.stalls import watching_stalls
from tests.support.litter import litter
from tests.support.neighbours import KEY, TOKEN, Neighbours

LONGEST_CALM_SECONDS = 180.0
BEGIN_SECONDS = 1.0
SETTLED_FOR_SECONDS = 1.0

UNANSWERED = "SELECT count(*) AS conversations FROM conversations WHERE inbound_seq > answered_seq"


@dataclass
class Stage:
    """All that takes part."""

    telegram: TelegramStandIn
    model: ModelStandIn
    database: TroubledDatabase
    people: People
    slots: list[Slot]

    def __post_init__(self) -> None:
        self._board = Switchboard(
            {"telegram": self.telegram.switches, "model": self.model.switches}
        )

    async def perform(self, happening: Happening) -> None:
        """Let it happen, for as long as it lasts."""
        match happening:
            case Say():
                self.people.say(happening)
            case SayNonsense():
                self.people.say_nonsense(happening.number)
            case Block():
                self.telegram.block(happening.chat_id)
            case Kill() | Terminate():
                self.slots[happening.slot].end(happening)
            case Freeze():
                await self.slots[happening.slot].freeze(happening)
            case Switch():
                await self._switch(happening)
            case DatabaseTrouble():
                await self.database.suffer(happening)
            case _:
                assert_never(happening)

    async def _switch(self, switch: Switch) -> None:
        order = Order(
            name=switch.name, argument=switch.argument, rate=switch.rate, methods=switch.methods
        )
        self._board.obey([order])
        await asyncio.sleep(switch.seconds)
        self._board.obey([Order(name=switch.name, on=False)])

    async def calm_down(self) -> float:
        """No more faults; the seconds until all is answered, or too many of them."""
        self._board.all_off()
        await self.telegram.wait_until_switched()
        began = time.monotonic()
        db = Database(self.database.dsn)
        try:
            since = time.monotonic()
            while time.monotonic() < began + LONGEST_CALM_SECONDS:
                [row] = await db.fetch(UNANSWERED, {})
                if self.telegram.pending or row.conversations:
                    since = time.monotonic()
                elif time.monotonic() > since + SETTLED_FOR_SECONDS:
                    break
                await asyncio.sleep(0.1)
        finally:
            await db.close()
        return time.monotonic() - began


async def run(plan: Plan, schedule: Schedule) -> Evidence:
    """Let the schedule happen; what came of it."""
    async with stage(plan) as everything, watching_stalls() as stalls:
        await asyncio.sleep(BEGIN_SECONDS)
        began = time.monotonic()
        async with asyncio.TaskGroup() as under_way:
            for happening in schedule.happenings:
                await asyncio.sleep(max(0.0, began + happening.at - time.monotonic()))
                if isinstance(happening, Say):
                    everything.people.say(happening)
                else:
                    under_way.create_task(everything.perform(happening))
        calm_seconds = await everything.calm_down()
        await asyncio.gather(*(slot.close() for slot in everything.slots))
        lives = [life for slot in everything.slots for life in slot.lives]
        db = Database(everything.database.dsn)
        try:
            return await collect(
                db,
                everything.people,
                lives,
                model_calls=everything.model.counts["begun"],
                calm_seconds=calm_seconds,
                longest_stall=stalls.longest,
            )
        finally:
            await db.close()


@asynccontextmanager
async def stage(plan: Plan) -> AsyncIterator[Stage]:
    """The bots between stand-ins, on a database of their own."""
    telegram = TelegramStandIn(token=TOKEN, record_calls=False, seed=plan.seed)
    model = ModelStandIn(api_key=KEY, record_calls=False, seed=plan.seed)
    thinker = Thinker(plan.seed)
    model.answer, model.hook = thinker.answer, thinker.think
    async with troubled_database() as database, litter() as bots:
        await telegram.start()
        await model.start()
        environment = Neighbours(telegram, model, database.dsn).environment(
            debounce_quiet_seconds=0.4,
            debounce_cap_seconds=2,
            lease_ttl_seconds=plan.lease_seconds,
            sweep_seconds=0.3,
            max_wait_seconds=10,
            model_timeout_seconds=4,
            outage_notice_seconds=1,
            history_messages=8,
            log_format="json",
        )
        slots = [Slot(bots, environment) for _ in range(plan.processes)]
        try:
            yield Stage(telegram, model, database, People(telegram), slots)
        finally:
            for slot in slots:
                slot.abandon()
            await telegram.stop()
            await model.stop()
