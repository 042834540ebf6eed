"""The composition root: what one process is made of, and the order in which it starts and stops."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from time import monotonic

import structlog

from bot.acquaintance import Acquaintance
from bot.attachments.once import ReadOnce
from bot.attachments.reader import AttachmentReader
from bot.commands.desk import Desk
from bot.commands.listed import register
from bot.courier import TelegramCourier
from bot.elsewhere import Elsewhere
from bot.handlers import dispatcher
from bot.health import Page, listen
from bot.identity import is_dead, this_process
from bot.polling import Poller
from bot.readiness import prepare
from bot.rich.cutting import cut, verbatim
from bot.schedule import Schedule
from bot.settings import Settings
from bot.speaker import Speaker
from bot.telegram import telegram_bot
from bot.toolbox import toolbox
from bot.upkeep import LOOK_SECONDS, Upkeep
from bot.words import Words
from coordination.answer import Answerer
from coordination.breaker import Breaker
from coordination.briefing import Briefing
from coordination.compose import Composer
from coordination.deliver import Deliverer
from coordination.dialogue import Dialogue
from coordination.leadership import Leadership
from coordination.lease_keeper import LeaseKeeper, Stop
from coordination.outage import OutageNotices
from coordination.project import Projector
from coordination.reading import Reading
from coordination.receive import Receiver
from coordination.summary import Summarizer
from coordination.tools.ledger import Ledger
from coordination.tools.perform import Performer
from coordination.tools.resources import Resources
from coordination.tools.undo import Undoer
from coordination.voice import Voice
from coordination.wake import Wakes
from llm.transcriber import OpenAITranscriber
from llm.writer import OpenAIWriter
from storage import edge, leases
from storage.database import Database, Unavailable
from storage.steps import FaultPoint, no_fault

log = structlog.get_logger(__name__)

GRACE_SECONDS = 7.0
"""For running replies at a stop; container runtimes kill after 10."""
POLLING_GRACE_SECONDS = 2.0
LAST_GRACE_SECONDS = 1.5
RELEASE_SECONDS = 1.0
PROJECT_SECONDS = 1.0
LONGEST_STOP_SECONDS = GRACE_SECONDS + LAST_GRACE_SECONDS + RELEASE_SECONDS


class App:
    """One process of the bot, wired from its settings."""

    def __init__(
        self, settings: Settings, page: Page | None = None, at: FaultPoint = no_fault
    ) -> None:
        self._settings = settings
        self._page = page
        self._grace_ends_at = 0.0
        self._holder = this_process()
        self._rules = settings.rules()
        self._db = Database(settings.database_url.get_secret_value(), at)
        self._bot = telegram_bot(settings)
        self._writer = OpenAIWriter(settings.model())
        speech = settings.transcription_model
        self._transcriber = OpenAITranscriber(settings.model(), speech) if speech else None
        self._reader = AttachmentReader(self._bot, self._transcriber)
        self._attachments = ReadOnce(self._reader)
        self._toolbox = toolbox(settings)
        self._words = Words()
        self._wire()

    def _wire(self) -> None:
        db, rules, holder = self._db, self._rules, self._holder
        people = Acquaintance(db)
        courier = TelegramCourier(
            self._bot,
            "rich" if self._settings.rich_text else "plain",
            streaming=self._settings.streaming,
            is_wanted_in=people.want_streaming,
        )
        self._schedule = Schedule()
        self._speaker = Speaker(self._bot)
        self._keeper = LeaseKeeper(db, holder=holder, ttl=rules.lease_ttl)
        breaker = Breaker()
        resources = Resources(db, ttl=rules.lease_ttl, is_dead=is_dead)
        performer = Performer(db, self._toolbox, Ledger(db, is_dead), resources)
        voice = Voice(db, self._words)
        dialogue = Dialogue(db, self._writer, performer, breaker)
        self._undoer = Undoer(db, self._toolbox, resources, holder=holder)
        reading = Reading(db, self._attachments)
        briefing = Briefing(db, rules, dialogue, Summarizer(db, rules, dialogue), reading)
        answerer = Answerer(
            db,
            rules,
            self._keeper,
            self._schedule,
            breaker,
            Composer(rules, dialogue, briefing, courier, voice, breaker),
            Deliverer(db, rules, courier, cut=cut if self._settings.rich_text else verbatim),
            voice,
        )
        self._notices = OutageNotices(
            db, breaker, voice, self._speaker.say, holder=holder, after=rules.outage_notice
        )
        self._projector = Projector(db)
        self._upkeep = Upkeep(db, retention_days=self._settings.retention_days)
        self._wakes = Wakes(
            db,
            self._projector.noting(answerer.answer),
            holder=holder,
            limit=rules.max_concurrent_replies,
            is_dead=is_dead,
            breaker=breaker,
        )
        receiver = Receiver(db, rules, self._keeper, self._schedule)
        canned = self._settings.canned_answers
        desk = Desk(db, receiver, self._words, self._speaker, people, canned)
        tell_why = Elsewhere(db, self._bot, self._words).tell
        routes = dispatcher(receiver, tell_why, desk, self._settings.long_quiet)
        self._leadership = Leadership(
            db, self._settings.bot_id, holder=holder, ttl=rules.lease_ttl, is_dead=is_dead
        )
        self._poller = Poller(
            self._bot,
            routes,
            self._set_aside,
            may_poll=self._leadership.surely_leads,
            at=db.at,
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Work until `stopping` is set, then finish or hand over what is under way.

        Raises:
            SettingsError: the database or Telegram refuses us as we are set up.
        """
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._db.close)
            closing.push_async_callback(self._bot.session.close)
            closing.push_async_callback(self._writer.aclose)
            if self._transcriber:
                closing.push_async_callback(self._transcriber.aclose)
            closing.callback(self._reader.close)
            closing.push_async_callback(self._attachments.aclose)
            closing.push_async_callback(self._speaker.close)
            await _until(stopping, prepare(self._settings, self._db, self._bot), grace=0)
            if stopping.is_set():
                return
            listening = listen(self._settings, self._db, self, self._page)
            await closing.enter_async_context(listening)
            await closing.enter_async_context(self._answering(stopping))
            log.info("started", holder=self._holder)
            polling = self._leadership.lead(self._poll, stopping)
            await _until(stopping, polling, grace=POLLING_GRACE_SECONDS)

    async def _poll(self, stopping: asyncio.Event) -> None:
        registering = asyncio.create_task(
            register(self._bot, self._words, self._settings.canned_answers)
        )
        try:
            await self._poller.poll(stopping)
        finally:
            registering.cancel()

    @asynccontextmanager
    async def _answering(self, stopping: asyncio.Event) -> AsyncIterator[None]:
        self._schedule.start(self._wakes.wake)
        beat, sweep = _patient(self._keeper.beat), _patient(self._wakes.sweep)
        self._schedule.every(self._keeper.beat_seconds, beat, "beat")
        self._schedule.every(self._settings.sweep_seconds, sweep, "sweep")
        self._schedule.every(self._settings.sweep_seconds, _patient(self._undoer.sweep), "undo")
        self._schedule.every(self._settings.sweep_seconds, _patient(self._notices.look), "notices")
        self._schedule.every(PROJECT_SECONDS, _patient(self._projector.project), "project")
        self._schedule.every(LOOK_SECONDS, _patient(self._upkeep.look), "upkeep")
        await sweep()
        closing_time = asyncio.create_task(self._take_nothing_new(stopping))
        try:
            yield
        finally:
            closing_time.cancel()
            await self._wind_down()

    async def _take_nothing_new(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._grace_ends_at = monotonic() + GRACE_SECONDS
        log.info("stopping", seconds_at_most=LONGEST_STOP_SECONDS)
        self._wakes.stop()

    async def _wind_down(self) -> None:
        self._wakes.stop()
        if not await self._idle_within(self._grace_ends_at - monotonic()):
            self._keeper.stop_all(Stop.SHUTTING_DOWN)
            if not await self._idle_within(LAST_GRACE_SECONDS):
                self._wakes.cancel()
                await self._wakes.idle()
                await self._leave_no_lease()
        self._schedule.stop()
        log.info("stopped")

    async def _idle_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._wakes.idle()
        except TimeoutError:
            return False
        return True

    async def _leave_no_lease(self) -> None:
        # Nothing of ours runs any more; the others need not wait for an expiry.
        try:
            async with asyncio.timeout(RELEASE_SECONDS):
                await leases.free_leases_of(self._db, [self._holder])
        except (TimeoutError, Unavailable):
            log.warning("leases_left_to_expire")

    def is_polling(self) -> bool:
        """Whether this process is the one that polls."""
        return self._leadership.is_leader

    def since_last_receive(self) -> float | None:
        """Seconds since Telegram last answered getUpdates; None: not yet."""
        received_at = self._poller.received_at
        return None if received_at is None else round(monotonic() - received_at, 3)

    async def _set_aside(self, payload: str, error: str) -> None:
        await edge.set_aside(self._db, payload=payload, error=error)


async def _until(
    stopping: asyncio.Event, work: Coroutine[object, object, None], *, grace: float
) -> None:
    """Do the work; once `stopping` is set it has `grace` seconds left before it is cancelled."""
    working = asyncio.ensure_future(work)
    stop = asyncio.ensure_future(stopping.wait())
    await asyncio.wait({working, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    await asyncio.wait({working}, timeout=grace)
    working.cancel()
    await asyncio.wait({working})
    if not working.cancelled():
        working.result()


def _patient(work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    async def once() -> None:
        try:
            await work()
        except Unavailable as error:
            log.warning("database_unavailable", error=str(error))

    return once
