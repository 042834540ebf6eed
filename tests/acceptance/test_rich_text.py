"""Formatted replies: what is refused as rich goes out with entities, then as plain text."""

import json
import re

import pytest

from bot.standins.faults import Call, DropAfter, Fault, Refuse
from bot.standins.replies import NEW_MESSAGES
from coordination import answer
from coordination.patience import RetryPolicy
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import rows_of, until_settled

ADA = 501
ANSWER = "# Title\n\nSome **bold** words of List<String>\n\n```python\nx = 1\n```"
PARTS = "SELECT part, state, format, attempts FROM outbox ORDER BY run, part"
RECUTS = "SELECT payload FROM events WHERE type = 'parts_recut' ORDER BY version"
RICH_REFUSED = Refuse(400, "Bad Request: can't parse rich message: unsupported block")
ENTITIES_REFUSED = Refuse(400, "Bad Request: can't parse entities")
NO_SUCH_METHOD = Refuse(404, "Not Found: method not found")


def refuse(around: Neighbours, **faults: Fault) -> None:
    """Have messages meet a fault, by how they are formatted; `sendMessage` once only."""
    waiting = dict(faults)

    async def hook(call: Call) -> Fault | None:
        if call.method == "sendRichMessage":
            return waiting.get("rich")
        return waiting.pop("entities", None) if call.method == "sendMessage" else None

    around.telegram.hook = hook


async def answered(around: Neighbours, *texts: str, **settings: object) -> list[str]:
    """Have Ada write one after the other; by which methods she got the answers."""
    around.model.answer = lambda _messages: ANSWER
    async with running_bot(around.settings(**settings)):
        for count, text in enumerate(texts, start=1):
            around.telegram.say(ADA, text)
            await around.telegram.wait_for_reply(ADA, count)
            await until_settled(around.database_url)
    return [sent.method for sent in around.seen_by(ADA)]


async def parts(around: Neighbours) -> list[tuple[int, str, str]]:
    rows = await rows_of(around.database_url, PARTS)
    return [(row.part, row.state, row.format) for row in rows]


def calls(around: Neighbours) -> list[str]:
    return [call.method for call in around.telegram.calls if call.method in NEW_MESSAGES]


async def test_an_answer_goes_out_as_rich_text(around: Neighbours) -> None:
    assert await answered(around, "hello") == ["sendRichMessage"]
    assert await parts(around) == [(1, "sent", "rich")]
    [seen] = around.seen_by(ADA)
    assert seen.text == ANSWER.replace("<", "\\<")


async def test_what_is_refused_as_rich_goes_out_with_entities(around: Neighbours) -> None:
    refuse(around, rich=RICH_REFUSED)
    assert await answered(around, "hello") == ["sendMessage"]
    [seen] = around.seen_by(ADA)
    assert seen.text == "Title\n\nSome bold words of List<String>\n\nx = 1"
    entities = {entity["type"]: entity for entity in json.loads(seen.params["entities"])}
    assert entities.keys() == {"bold", "underline", "pre"}
    assert entities["pre"]["language"] == "python"
    assert await parts(around) == [(1, "sent", "entities")]
    [recut] = await rows_of(around.database_url, RECUTS)
    assert recut.payload == {"part": 1, "format": "entities", "parts": 1}


async def test_what_is_refused_again_goes_out_as_plain_text(around: Neighbours) -> None:
    refuse(around, rich=RICH_REFUSED, entities=ENTITIES_REFUSED)
    assert await answered(around, "hello") == ["sendMessage"]
    [seen] = around.seen_by(ADA)
    assert seen.text == "Title\n\nSome bold words of List<String>\n\nx = 1"
    assert "entities" not in seen.params
    assert await parts(around) == [(1, "sent", "plain")]
    assert len(await rows_of(around.database_url, RECUTS)) == 2
    assert len(around.model.calls) == 1


async def test_a_server_that_knows_no_rich_messages_is_asked_once(around: Neighbours) -> None:
    refuse(around, rich=NO_SUCH_METHOD)
    assert await answered(around, "hello", "again") == ["sendMessage", "sendMessage"]
    assert calls(around) == ["sendRichMessage", "sendMessage", "sendMessage"]


async def test_an_unknown_outcome_is_not_tried_in_another_format(around: Neighbours) -> None:
    refuse(around, rich=DropAfter())
    assert await answered(around, "hello") == ["sendRichMessage"]
    assert calls(around) == ["sendRichMessage"]
    assert await parts(around) == [(1, "unconfirmed", "rich")]


@pytest.mark.parametrize(
    "refusal",
    [
        Refuse(403, "Forbidden: bot was blocked by the user"),
        Refuse(400, "Bad Request: chat not found"),
        Refuse(400, "Bad Request: message thread not found"),
    ],
    ids=lambda refusal: refusal.description,
)
async def test_g10_a_refusal_of_the_chat_is_no_matter_of_format(
    around: Neighbours, refusal: Refuse
) -> None:
    refuse(around, rich=refusal)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        await until_settled(around.database_url)
    assert calls(around) == ["sendRichMessage"]
    assert await parts(around) == [(1, "refused", "rich")]


async def test_rich_text_can_be_switched_off(around: Neighbours) -> None:
    assert await answered(around, "hello", rich_text=False) == ["sendMessage"]
    assert [seen.text for seen in around.seen_by(ADA)] == [ANSWER]
    assert await parts(around) == [(1, "sent", "plain")]


@pytest.mark.parametrize("refused_from", [1, 2])
async def test_long_answers_are_cut_anew_from_the_refused_part_on(
    around: Neighbours, refused_from: int
) -> None:
    words = [f"w{number}q" for number in range(9_000)]
    around.model.answer = lambda _messages: "\n\n".join(
        f"- {' '.join(words[start : start + 500])}" for start in range(0, 9_000, 500)
    )
    came = 0

    async def hook(call: Call) -> Fault | None:
        nonlocal came
        came += call.method == "sendRichMessage"
        is_refused = call.method == "sendRichMessage" and came >= refused_from
        return RICH_REFUSED if is_refused else None

    around.telegram.hook = hook
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "hello")
        await around.model.wait_for_calls(1)
        await until_settled(around.database_url)
    seen = " ".join(sent.text for sent in around.seen_by(ADA))
    assert re.findall(r"w\d+q", seen) == words
    found = await parts(around)
    assert [part for part, _, _ in found] == list(range(1, len(found) + 1))
    assert {how for _, _, how in found[refused_from - 1 :]} == {"entities"}
    assert {state for _, state, _ in found} == {"sent"}


async def test_g7_a_crash_between_the_cut_and_the_send_loses_nothing(
    around: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(around, rich=RICH_REFUSED)
    around.model.answer = lambda _messages: ANSWER
    crashed: list[str] = []
    monkeypatch.setattr(answer, "OWN_FAULTS", RetryPolicy(base=0.1))

    async def at(point: str) -> None:
        if point == "after recut" and not crashed:
            crashed.append(point)
            raise ZeroDivisionError

    async with running_bot(around.settings(), at=at):
        around.telegram.say(ADA, "hello")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert crashed
    assert calls(around) == ["sendRichMessage", "sendMessage"]
    assert [sent.text[:5] for sent in around.seen_by(ADA)] == ["Title"]
    assert len(around.model.calls) == 1
