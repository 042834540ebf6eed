"""`onereply demo`: a person types a burst at the real bot, and one sees what happens."""

import asyncio
from time import time

import typer

from bot.demo.edges import Edges
from bot.demo.stage import CAP_SECONDS, MODEL_SECONDS, QUIET_SECONDS, Stage, stage
from bot.demo.tables import Tables
from bot.demo.timeline import Timeline
from bot.demo.verdict import complaints, complaints_about_tools
from bot.demo.watch import until, watching
from bot.settings import SettingsError
from storage.records import ConversationKey

TYPING_SECONDS = 0.5
REMIND_SECONDS = 2
REPLIES = 2
"""To the burst, and to the wish for a reminder."""
REPLY_SECONDS = 60.0
"""After that the demonstration has failed."""
SILENCE_SECONDS = QUIET_SECONDS + MODEL_SECONDS + 1
"""A second reply, were there one, would come within this."""


async def play() -> int:
    """Play the burst; 0 only if exactly one reply covered all of it."""
    typer.echo(
        f"A bot between stand-ins: quiet {QUIET_SECONDS:g} s, cap {CAP_SECONDS:g} s, "
        f"and a model that thinks for {MODEL_SECONDS:g} s.\n"
    )
    try:
        async with stage() as found:
            wrong = await _perform(found)
    except SettingsError as error:
        wrong = [str(error)]
    for each in wrong:
        typer.echo(f"Wrong: {each}.", err=True)
    return 1 if wrong else 0


async def _perform(found: Stage) -> list[str]:
    # A chat that no earlier play knew, so that the counter begins at 1.
    chat_id = int(time() * 1000)
    word = f"order {chat_id % 1_000_000:06}"
    said = [
        f"Hi! It is about {word}",
        "It has not arrived yet",
        "My phone: +44 20 7183 8750",
        "or by e-mail: ada@example.org",
    ]
    timeline = Timeline()
    edges = Edges(found.telegram, found.model, timeline, chat_id=chat_id, word=word)
    tables = Tables(found.db, ConversationKey(chat_id, 0), timeline)
    async with watching(found.telegram, edges, tables, timeline):
        await _type(found, edges, chat_id, said)
        await until(lambda: len(edges.replies) > 0, REPLY_SECONDS)
        await asyncio.sleep(SILENCE_SECONDS)
        wrong = complaints(said, edges.replies, await tables.ending())
        calls = list(edges.calls)
        found.telegram.say(chat_id, f"remind me in {REMIND_SECONDS} seconds to ask for {word}")
        await until(lambda: len(edges.replies) > REPLIES, REPLY_SECONDS)
    wrong += complaints_about_tools(edges.replies, await tables.ending())
    if not wrong:
        cancelled = sum(call.outcome == "cancelled" for call in calls)
        typer.echo(
            f"\nOne reply covered all {len(said)} messages, and no second one came within "
            f"{SILENCE_SECONDS:g} s.\nModel calls for that reply: {len(calls)}, of which cancelled "
            f"before they answered: {cancelled}.\n"
            "Phone and e-mail, given in two messages, were saved as one contact, and the reminder "
            "came once."
        )
    return wrong


async def _type(found: Stage, edges: Edges, chat_id: int, said: list[str]) -> None:
    *burst, afterthought = said
    for line in burst:
        found.telegram.say(chat_id, line, first_name="Ada")
        await asyncio.sleep(TYPING_SECONDS)
    # However slow the machine is, the afterthought comes before the answer.
    found.model.delay = REPLY_SECONDS
    await until(lambda: len(edges.calls) > 0, REPLY_SECONDS)
    await asyncio.sleep(MODEL_SECONDS / 2)
    found.model.delay = MODEL_SECONDS
    found.telegram.say(chat_id, afterthought)
