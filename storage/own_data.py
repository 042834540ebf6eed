"""All that is kept of what one person said, chose and had done."""

from storage.database import Database
from storage.verbs import verb

OWN_DATA = {
    "messages": """
        SELECT thread_id, message_id, text, attachments, heard, sent_at, received_at, edited_at
        FROM messages WHERE chat_id = :chat_id ORDER BY thread_id, seq
    """,
    "replies": """
        SELECT thread_id, number, state, reply AS text, committed_at
        FROM runs WHERE chat_id = :chat_id AND reply IS NOT NULL ORDER BY thread_id, number
    """,
    "contacts": """
        SELECT thread_id, kind, value, saved_at
        FROM contact_facts WHERE chat_id = :chat_id ORDER BY thread_id, saved_at, kind
    """,
    "reminders": """
        SELECT thread_id, number, text, due_at, state
        FROM reminders WHERE chat_id = :chat_id ORDER BY thread_id, number
    """,
    "actions": """
        SELECT thread_id, tool, arguments, result, state, started_at
        FROM effects WHERE chat_id = :chat_id ORDER BY thread_id, started_at
    """,
    "summaries": """
        SELECT thread_id, last_seq, value AS text, made_at
        FROM cached_results WHERE chat_id = :chat_id ORDER BY thread_id, last_seq
    """,
    "early_edits": """
        SELECT thread_id, message_id, text, attachments, edited_at
        FROM early_edits WHERE chat_id = :chat_id ORDER BY thread_id, message_id
    """,
    "preferences": """
        SELECT name, language, chosen_language, wants_streaming, start_payload, updated_at
        FROM people WHERE chat_id = :chat_id
    """,
}


@verb
async def own_data(db: Database, chat_id: int) -> dict[str, list[dict[str, object]]]:
    """The rows of each kind, seen in one moment."""
    async with db.reading() as fetch:
        return {
            kind: [row._asdict() for row in await fetch(sql, {"chat_id": chat_id})]
            for kind, sql in OWN_DATA.items()
        }
