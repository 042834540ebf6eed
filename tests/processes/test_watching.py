"""What an operator sees of a process: its metrics, its health, and its log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from bot.standins.faults import RefuseCompletion
from bot.standins.model_calls import ModelCall
from tests.support.neighbours import KEY, TOKEN, Neighbours
from tests.support.processes import BotProcess, bot_process
from tests.support.waiting import until_found

ADA = 501
SPOKEN = "xylophone"
TOOLS = ("bot.tools.contacts", "bot.tools.reminders")
OF_A_RUN = {"run_started", "model_called", "reply_committed", "reply_finished", "run_ended"}
ANSWERED = "SELECT 1 FROM conversations WHERE answered_seq >= {} AND answered_seq = inbound_seq"


@asynccontextmanager
async def watched(around: Neighbours, **changed: object) -> AsyncIterator[tuple[BotProcess, str]]:
    """A process, and where it listens."""
    environment = around.environment(log_level="debug", tools=TOOLS, **changed)
    del environment["HTTP_PORT"]  # not asked for: any will do
    async with bot_process(environment) as bot:
        url = (await bot.logged("http_listening"))["url"]
        await bot.logged("polling_started")
        yield bot, url
        assert await bot.terminate() == 0


async def scrape(url: str) -> dict[str, float]:
    async with aiohttp.ClientSession() as http, http.get(f"{url}metrics") as answer:
        assert answer.status == 200
        text = await answer.text()
    return {
        f"{sample.name}{sorted(sample.labels.values())}" if sample.labels else sample.name: (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_metrics_count_what_happened(around: Neighbours) -> None:
    failing = [RefuseCompletion(503, None, "overloaded")]

    async def hook(_call: ModelCall) -> RefuseCompletion | None:
        return failing.pop() if failing else None

    around.model.hook = hook
    async with watched(around) as (bot, url):
        around.telegram.say(ADA, "one")
        around.telegram.say(ADA, "two")
        await until_found(around.database_url, ANSWERED.format(2))
        around.telegram.say(ADA, "mine is ada@example.org")
        await until_found(around.database_url, ANSWERED.format(3))
        await bot.logged("run_ended", 3)
        seen = await scrape(url)
    assert seen["onereply_messages_received_total"] == 3
    assert seen["onereply_duplicate_updates_total"] == 0
    assert seen["onereply_leases_taken_total['burst']"] == 3
    assert seen["onereply_burst_messages_sum"] == 5
    assert seen["onereply_model_calls_total['failed']"] == 1
    assert seen["onereply_model_calls_total['answered']"] == 2
    assert seen["onereply_model_calls_total['tools']"] == 1
    assert seen["onereply_retries_total['model']"] == 1
    assert seen["onereply_tool_calls_total['done']"] == 1
    assert seen["onereply_replies_total['sent']"] == 2
    assert seen["onereply_model_first_token_seconds_count"] == 3
    assert seen["onereply_wake_lag_seconds_count"] == 3
    assert seen["onereply_windows_open"] == seen["onereply_windows_due"] == 0
    assert seen["onereply_outbox_replies"] == 0
    assert seen["onereply_database_up"] == 1
    assert not any(str(ADA) in name for name in seen), "no label names a chat"


async def test_readiness_says_what_it_is_judged_by(around: Neighbours) -> None:
    async with watched(around) as (bot, url), aiohttp.ClientSession() as http:
        around.telegram.say(ADA, "one")
        await bot.logged("run_ended")
        async with http.get(f"{url}readyz") as answer:
            state = await answer.json()
    assert state["ready"] is True
    assert state["polling"] is True
    assert state["seconds_since_last_receive"] >= 0
    assert state["oldest_overdue_window_seconds"] == 0


async def test_every_line_of_a_run_says_whose_it_is(around: Neighbours) -> None:
    async with watched(around) as (bot, _url):
        around.telegram.say(ADA, SPOKEN)
        await bot.logged("run_ended")
    lines = [line for line in bot.log if line.get("event") in OF_A_RUN]
    assert {line["event"] for line in lines} == OF_A_RUN
    for line in lines:
        assert (line["conversation"], line["burst"], line["run"], line["fence"]) == (
            *(f"{ADA}/0", 1, 1, 1),
        )
        assert line["holder"]
    [ended] = [line for line in lines if line["event"] == "run_ended"]
    assert {"compose_ms", "commit_ms", "deliver_ms"} <= ended.keys()


async def test_the_log_at_its_loudest_keeps_secrets_and_words(around: Neighbours) -> None:
    async with watched(around) as (bot, _url):
        around.telegram.say(ADA, f"{SPOKEN} ada@example.org")
        await bot.logged("run_ended")
    assert any(line["level"] == "debug" for line in bot.log)
    for secret in (TOKEN, TOKEN.partition(":")[2], KEY):
        assert secret not in bot.stderr + bot.stdout
    assert not [line for line in bot.log if is_loud(line) and said_in(line)]


def is_loud(line: dict[str, Any]) -> bool:
    return str(line["level"]) != "debug"


def said_in(line: dict[str, Any]) -> bool:
    return SPOKEN in str(line) or "ada@example.org" in str(line)
