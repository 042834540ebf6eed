"""G9: a process is killed around a tool's effect; what its successor does, counted outside."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from bot.standins.answers import friendly_answer
from bot.standins.news import HANG_SECONDS
from bot.standins.tool_choice import ToolUse
from tests.support.litter import ForkedBot, litter
from tests.support.neighbours import Neighbours
from tests.support.outside_tools import effects_in
from tests.support.processes import bot_process
from tests.support.waiting import rows_of, until_found, until_settled

ADA = 501
LONG_LEASE_SECONDS = 300
POLICIES = ("repeat_it", "verify_it", "give_it_up")
EFFECTS = "SELECT state, result FROM effects"
SET = "SELECT 1 FROM reminders WHERE state = 'waiting'"
DUE = "UPDATE reminders SET due_at = now() RETURNING 1"
RESTING = "SELECT 1 FROM conversations WHERE lease_holder IS NULL AND answered_seq = 1"


def wants(tool: str) -> Any:
    def answer(messages: list[dict[str, Any]]) -> str | list[ToolUse]:
        if any(message["role"] == "tool" for message in messages):
            return friendly_answer(messages)
        return [{"name": tool, "arguments": {}}]

    return answer


@pytest.mark.parametrize("tool", POLICIES)
@pytest.mark.parametrize("acted", [True, False])
async def test_g9_killed_between_the_effect_and_its_record(
    around: Neighbours, tmp_path: Path, tool: str, acted: bool
) -> None:
    file = tmp_path / "effects"
    environment = around.environment(
        tools="tests.support.outside_tools", lease_ttl_seconds=LONG_LEASE_SECONDS
    ) | {"OUTSIDE_FILE": str(file)}
    around.model.answer = wants(tool)
    async with litter() as bots:
        dying = await bots.start(
            environment, die="after tool_call" if acted else "before tool_call"
        )
        around.telegram.say(ADA, "hello")
        assert await code_of(dying) == -signal.SIGKILL
        assert len(effects_in(file)) == acted
        successor = await bots.start(environment)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
        await successor.kill()
    [effect] = await rows_of(around.database_url, EFFECTS)
    keys = effects_in(file)
    assert len(set(keys)) <= 1, "always the same key"
    match tool:
        case "repeat_it":
            assert (len(keys), tuple(effect)) == (1 + acted, ("done", "repeated"))
        case "verify_it":
            said = "found done" if acted else "acted"
            assert (len(keys), tuple(effect)) == (1, ("done", said))
        case _:
            assert (len(keys), effect.state) == (int(acted), "unknown")
            assert "not known whether this was done" in reply.text
    assert "hello" in reply.text


async def code_of(bot: ForkedBot) -> int:
    async with asyncio.timeout(HANG_SECONDS):
        return await bot.ended()


async def test_a_reminder_outlives_the_process_that_set_it(around: Neighbours) -> None:
    environment = around.environment(
        tools="bot.tools.reminders", lease_ttl_seconds=LONG_LEASE_SECONDS
    )
    async with litter() as bots:
        first = await bots.start(environment)
        around.telegram.say(ADA, "remind me in 2 hours to drink tea")
        await until_found(around.database_url, SET)
        await until_found(around.database_url, RESTING)
        await first.kill()
        await rows_of(around.database_url, DUE)
        dying = await bots.start(environment, die="before send_message")
        assert await code_of(dying) == -signal.SIGKILL
        last = await bots.start(environment)
        replies = await around.telegram.wait_for_reply(ADA, 2)
        around.telegram.say(ADA, "thanks")
        await around.telegram.wait_for_reply(ADA, 3)
        await until_settled(around.database_url)
        await last.kill()
    assert replies[-1].text == "⏰ drink tea"
    assert [sent.text for sent in around.seen_by(ADA)].count("⏰ drink tea") == 1


@pytest.mark.parametrize("command", ["run", "local", "doctor"])
@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ("no.such.module", "cannot import no.such.module"),
        ("tests.support.waiting", "tests.support.waiting declares no tools"),
        ("bot tools", "must be names of Python modules"),
    ],
)
async def test_wrong_modules_are_one_line_and_exit_code_2(
    around: Neighbours, command: str, modules: str, said: str
) -> None:
    environment = around.environment() | {"TOOLS": modules}
    async with bot_process(environment, command) as process:
        assert await process.ended() == 2
    lines = [
        line
        for line in (process.stdout + process.stderr).splitlines()
        if not line.startswith(("{", "Starting"))
    ]
    [line] = lines
    assert f"TOOLS: {said}" in line
