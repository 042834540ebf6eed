"""Who writes is remembered, and told to the model."""

from datetime import timedelta

from coordination.people import People
from llm.contract import Turn
from storage.database import Database
from storage.people import background_of, keep_person
from storage.records import InboundMessage, Person
from tests.support.acts import ADA, BOB, NOON
from tests.support.one_process import OneProcess


async def test_a_person_is_kept_once_and_then_as_they_change(db: Database) -> None:
    assert await keep_person(db, ADA.chat_id, Person("Ada", "ko"))
    assert not await keep_person(db, ADA.chat_id, Person("Ada", "ko"))
    assert await keep_person(db, ADA.chat_id, Person("Ada"))
    assert (await background_of(db, ADA.chat_id, now=NOON)).person == Person("Ada")
    stranger = await background_of(db, BOB.chat_id, now=NOON)
    assert (stranger.person, stranger.now) == (None, NOON)


async def test_the_database_is_asked_about_news_only(db: Database) -> None:
    asked: list[str] = []

    async def at(where: str) -> None:
        asked.append(where)

    db.at, people = at, People(db)
    for name in ("Ada", "Ada", "Ada L."):
        await people.meet(ADA.chat_id, Person(name))
    assert asked.count("before keep_person") == 2


async def test_the_model_is_told_who_writes_and_how_long_they_were_silent(db: Database) -> None:
    process = OneProcess(db, "ada", system_prompt="Be kind.")
    await keep_person(db, ADA.chat_id, Person("Ada", "ko"))
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
