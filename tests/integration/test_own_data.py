"""What is kept of a person: exported whole, forgotten whole, and never twice."""

from bot.words import Words
from storage.contacts import save_facts
from storage.database import Database
from storage.forget import forget_everything
from storage.own_data import own_data
from storage.people import choose_language, note_person, person
from storage.records import ConversationKey, InboundMessage
from storage.reminders import set_reminder
from storage.tables import metadata
from tests.support.acts import ADA, BOB, after, say
from tests.support.facts import assert_guarantees
from tests.support.one_process import OneProcess
from tests.support.tallied import fold_everything

CONFIRMED = 900
TOPIC = ConversationKey(ADA.chat_id, 7)


async def a_life(db: Database, process: OneProcess) -> None:
    await note_person(db, ADA.chat_id, name="Ada", language="es")
    await choose_language(db, ADA.chat_id, "ru")
    await process.hear(1)
    await process.answers("reply")
    await save_facts(db, ADA, key="k", facts={"phone": "+442071838750"})
    await set_reminder(db, ADA, key="r", text="tea", due_at=after(60))
    await say(db, 2, at=0, keys=(TOPIC, BOB))
    await fold_everything(db)


async def left_of(db: Database, chat_id: int) -> set[str]:
    tables = [table.name for table in metadata.sorted_tables if "chat_id" in table.c]
    found = set()
    for name in tables:
        sql = f"SELECT 1 FROM {name} WHERE chat_id = :chat_id LIMIT 1"  # noqa: S608
        if await db.fetch(sql, {"chat_id": chat_id}):
            found.add(name)
    return found


async def test_everything_of_a_person_is_exported_and_nothing_of_others(db: Database) -> None:
    await a_life(db, OneProcess(db, "ada"))
    found = await own_data(db, ADA.chat_id)
    assert [each["text"] for each in found["messages"]] == ["text 1", "text 2"]
    assert [each["text"] for each in found["replies"]] == ["reply"]
    assert [each["value"] for each in found["contacts"]] == ["+442071838750"]
    assert [each["text"] for each in found["reminders"]] == ["tea"]
    assert [each["chosen_language"] for each in found["preferences"]] == ["ru"]


async def test_of_who_is_forgotten_one_row_of_numbers_is_left(db: Database) -> None:
    await a_life(db, OneProcess(db, "ada"))
    others = await left_of(db, BOB.chat_id)
    ended = await forget_everything(db, ADA.chat_id, CONFIRMED)
    assert [key for key, _ in ended] == [ADA, TOPIC]
    assert await left_of(db, ADA.chat_id) == {"commands_done"}
    assert await left_of(db, BOB.chat_id) == others
    await assert_guarantees(db)


async def test_a_button_that_is_pressed_again_deletes_nothing_that_came_later(
    db: Database,
) -> None:
    process = OneProcess(db, "ada")
    await a_life(db, process)
    await forget_everything(db, ADA.chat_id, CONFIRMED)
    await process.hear(CONFIRMED + 1)
    assert await forget_everything(db, ADA.chat_id, CONFIRMED) == []
    await process.answers("a new beginning")
    assert process.courier.sent == ["reply", "a new beginning"]
    await assert_guarantees(db)


async def test_g3_a_run_of_who_is_forgotten_ends_and_changes_nothing(db: Database) -> None:
    process, other = OneProcess(db, "ada"), OneProcess(db, "bob")
    await process.hear(1)
    async with process.answering() as call:
        process.receiver.forgotten(await forget_everything(db, ADA.chat_id, CONFIRMED))
    assert call.was_cancelled
    await process.hear(2)
    async with process.answering() as call:
        await forget_everything(db, ADA.chat_id, CONFIRMED + 1)
        await other.hear(3)
        call.answer("too late")
    await other.answers("reply to the third")
    assert process.courier.sent == []
    assert other.courier.sent == ["reply to the third"]
    await assert_guarantees(db)


async def test_the_bot_speaks_the_language_that_was_chosen(db: Database) -> None:
    process = OneProcess(db, "ada", words=Words())
    for chosen, said in (("ru", "Остановлено."), (None, "Detenido.")):
        await note_person(db, ADA.chat_id, name="Ada", language="es-MX")
        await choose_language(db, ADA.chat_id, chosen)
        await process.receiver.receive(InboundMessage(ADA, len(said), "text"))
        async with process.answering():
            await process.receiver.stop(ADA)
        assert process.courier.sent[-1] == said


async def test_a_person_is_written_down_only_when_something_is_new(db: Database) -> None:
    await note_person(db, 1, name="Ada", language=None, now=after(0))
    await note_person(db, 1, name="Ada", language=None, now=after(1))
    [row] = await db.fetch("SELECT updated_at FROM people", {})
    assert row.updated_at == after(0)
    await note_person(db, 1, name="Ada L.", language="en", now=after(2))
    assert (await person(db, 1)).speaks == "en"
