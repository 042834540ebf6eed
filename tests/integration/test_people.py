"""Who writes is remembered, and told to the model."""

from datetime import timedelta

from aiogram.types import User

from bot.acquaintance import Acquaintance
from llm.contract import Turn
from storage.database import Database
from storage.people import Background, background_of, choose_language, note_person
from storage.records import InboundMessage
from tests.support.acts import ADA, BOB, NOON
from tests.support.one_process import OneProcess


def user(name: str, language: str | None = None) -> User:
    return User(id=1, is_bot=False, first_name=name, language_code=language)


async def test_a_person_is_kept_as_they_change(db: Database) -> None:
    await note_person(db, ADA.chat_id, name="Ada", language="ko")
    assert await background_of(db, ADA.chat_id, now=NOON) == Background(NOON, "Ada", "ko")
    await choose_language(db, ADA.chat_id, "es")
    await note_person(db, ADA.chat_id, name="Ada L.", language=None)
    assert await background_of(db, ADA.chat_id, now=NOON) == Background(NOON, "Ada L.", "es")
    assert await background_of(db, BOB.chat_id, now=NOON) == Background(NOON)


async def test_the_database_is_asked_about_news_only(db: Database) -> None:
    asked: list[str] = []

    async def at(where: str) -> None:
        asked.append(where)

    db.at, people = at, Acquaintance(db)
    for name in ("Ada", "Ada", "Ada\nL."):
        await people.meet(ADA.chat_id, user(name))
    assert asked.count("before note_person") == 2
    assert (await background_of(db, ADA.chat_id)).name == "Ada L.", "on one line"


async def test_the_model_is_told_who_writes_and_how_long_they_were_silent(db: Database) -> None:
    process = OneProcess(db, "ada", system_prompt="Be kind.")
    await note_person(db, ADA.chat_id, name="Ada", language="ko")
    await process.receiver.receive(InboundMessage(ADA, 1, "hi", sent_at=NOON))
    await process.answers("Hello!")
    later = NOON + timedelta(hours=3)
    await process.receiver.receive(InboundMessage(ADA, 2, "and now?", sent_at=later))
    await process.answers("Now, too.")
    assert process.writer.calls[-1].turns == [
        Turn("system", "Be kind.\n\nThe user's name is Ada; their language is ko."),
        Turn("user", "hi"),
        Turn("assistant", "Hello!"),
        Turn("user", "[3 hours later]\nand now?"),
    ]
