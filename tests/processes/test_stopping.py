"""A process is told to stop: it finishes what it can, hands over the rest, and goes in time."""

import asyncio
import signal
from collections.abc import Sequence
from functools import partial

from bot.standins.faults import Call, DropBefore
from bot.standins.model_calls import ModelCall
from tests.processes.killing import LONG, is_message_to, subject_of, tell, written_in
from tests.support.gates import Gate
from tests.support.neighbours import Neighbours
from tests.support.processes import FAR_AWAY, BotProcess, bot_process, frozen, poller
from tests.support.waiting import rows_of, until_settled

QUICK, SLOW, DELIVERING, STUCK, TWICE = range(801, 806)
LONG_LEASE_SECONDS = 300
"""More than a test has time to wait; and what is FAR_AWAY nobody can prove dead."""
RUNS = "SELECT state FROM runs WHERE chat_id = :chat_id ORDER BY number"


class Scene:
    """Holds the first model call of some chats, and the first send of some parts, at gates."""

    def __init__(self, around: Neighbours) -> None:
        self._around = around
        self.thinking = {chat_id: Gate() for chat_id in (QUICK, SLOW, TWICE)}
        self.second_part, self.stuck = Gate(), Gate()
        around.model.answer = tell
        around.model.hook = self._hold_model
        around.telegram.hook = self._hold_telegram

    async def _hold_model(self, call: ModelCall) -> None:
        gate = self.thinking.get(subject_of(call))
        if gate and not gate.was_reached:
            await gate.pass_through()

    async def _hold_telegram(self, call: Call) -> DropBefore | None:
        if is_message_to(STUCK, call) and not self.stuck.was_reached:
            await self.stuck.pass_through()
            return DropBefore()
        if is_message_to(DELIVERING, call) and written_in(call).endswith("b"):
            await self.second_part.pass_through()
        return None

    async def hold(self, gate: Gate, chat_id: int, text: str = "hello") -> None:
        self._around.telegram.say(chat_id, f"{chat_id}: {text}")
        await gate.arrival()

    async def finish_in_time(self, process: BotProcess, others: Sequence[BotProcess]) -> None:
        process.signal(signal.SIGTERM)
        await poller(others, 2)
        assert process.is_running
        self.thinking[QUICK].open()
        assert await process.ended() == 0
        assert await self._runs_of(QUICK) == ["sent"]

    async def hold_much(self) -> None:
        await asyncio.gather(
            self.hold(self.thinking[SLOW], SLOW),
            self.hold(self.second_part, DELIVERING, LONG),
            self.hold(self.stuck, STUCK),
        )

    async def hand_over(self, leader: BotProcess) -> None:
        leader.signal(signal.SIGTERM)
        await leader.logged("run_handed_over")
        self.second_part.open()
        await leader.logged("delivery_handed_over")
        assert await leader.ended() == 0
        self.stuck.open()
        for chat_id, count in ((SLOW, 1), (DELIVERING, 3), (STUCK, 1)):
            await self._around.telegram.wait_for_reply(chat_id, count)
        assert await self._runs_of(SLOW) == ["handed_over", "sent"]

    async def end_at_once(self, process: BotProcess) -> None:
        await self.hold(self.thinking[TWICE], TWICE)
        process.signal(signal.SIGINT)
        await process.logged("stopping")
        process.signal(signal.SIGTERM)
        assert await process.ended() == -signal.SIGTERM
        assert not process.events("stopped")

    def assert_each_part_was_seen_once(self) -> None:
        assert [sent.text[-1] for sent in self._around.seen_by(DELIVERING)] == ["a", "b", "c"]
        for chat_id in (QUICK, SLOW, STUCK):
            assert len(self._around.seen_by(chat_id)) == 1

    async def _runs_of(self, chat_id: int) -> list[str]:
        rows = await rows_of(self._around.database_url, RUNS, {"chat_id": chat_id})
        return [row.state for row in rows]


async def test_g7_a_stop_finishes_or_hands_over_and_is_in_time(around: Neighbours) -> None:
    scene = Scene(around)
    start = partial(
        bot_process,
        around.environment(lease_ttl_seconds=LONG_LEASE_SECONDS),
        module=FAR_AWAY,
    )
    async with start() as one, start() as two, start() as three:
        processes = [one, two, three]
        first = await poller(processes)
        standing_by = await others(processes, first)
        async with frozen(standing_by):
            await scene.hold(scene.thinking[QUICK], QUICK)
        await scene.finish_in_time(first, standing_by)
        second = await poller(processes, 2)
        [third] = await others(processes, second)
        async with frozen([third]):
            await scene.hold_much()
        await scene.hand_over(second)
        await until_settled(around.database_url)
        await scene.end_at_once(third)
        assert not any(process.events("polling_failed") for process in processes)
    scene.assert_each_part_was_seen_once()


async def others(processes: Sequence[BotProcess], but: BotProcess) -> list[BotProcess]:
    """Those that still run and stand by."""
    found = [each for each in processes if each.is_running and each is not but]
    for each in found:
        await each.logged("standing_by")
    return found
