"""What people do with messages that are there already."""

import time
from dataclasses import replace
from typing import Any, Unpack

from bot.standins.chats import Chat, Line, message_object
from bot.standins.contents import captioned, text_content
from bot.standins.line_details import line_detail
from bot.standins.manner import Manner
from bot.standins.origins import from_user
from bot.standins.people_media import PeopleWithMedia

_WORDS = frozenset({"text", "entities", "caption", "caption_entities"})
_STAYS_BEHIND = frozenset(
    {"reply_to_message", "quote", "reply_markup", "media_group_id", "rich_message"}
)


class PeopleWhoAct(PeopleWithMedia):
    """They raise `LookupError` when there is no such message, button or draft."""

    def edit(self, chat_id: int, message_id: int, text: str) -> None:
        """Change the text or caption of a person's own message."""
        chat, line = self._line(chat_id, message_id)
        if line.from_bot:
            raise LookupError(f"message {message_id} is the bot's")
        kept = {name: value for name, value in line.content.items() if name not in _WORDS}
        content = kept | text_content(text) if "text" in line.content else captioned(kept, text)
        edited = replace(line, text=text, content=content, edit_date=int(time.time()))
        chat.keep(edited)
        message = message_object(chat, self._sender.bot, edited)
        self._queue_if_wanted("edited_message", message, None)
        self._feed.tell("edit", chat_id, line_detail(edited))

    def forward(
        self,
        chat_id: int,
        forwarded_id: int,
        *,
        from_chat_id: int | None = None,
        **manner: Unpack[Manner],
    ) -> int:
        """Send a message once more as a forward, by default one of the same chat."""
        source, line = self._line(chat_id if from_chat_id is None else from_chat_id, forwarded_id)
        content = {name: value for name, value in line.content.items() if name not in _STAYS_BEHIND}
        if line.rich is not None:
            content |= text_content(line.text)
        manner["origin"] = manner.get("origin") or self._origin(source, line)
        return self._write(chat_id, line.text, content, manner)

    def press(self, chat_id: int, message_id: int, data: str) -> str:
        """Press the inline button with that callback data; returns the query's id."""
        chat, line = self._line(chat_id, message_id)
        query = self._presses.press(chat, self._sender.bot, line, data)
        self._queue_if_wanted("callback_query", query, None)
        return str(query["id"])

    def stop_draft(self, chat_id: int) -> int:
        """Press stop on the draft that shows; returns its id."""
        draft = self._sender.drafts.stop(chat_id)
        # The server writes the number as text, although it is documented as an integer.
        stopped: dict[str, Any] = {
            "chat": self.chats.by_id[chat_id].as_chat(),
            "draft_id": str(draft.draft_id),
        }
        if draft.thread_id:
            stopped["message_thread_id"] = draft.thread_id
        self._queue_if_wanted("stopped_message_generation", stopped, None)
        return draft.draft_id

    def _line(self, chat_id: int, message_id: int) -> tuple[Chat, Line]:
        chat = self.chats.by_id.get(chat_id)
        line = None if chat is None else chat.lines.get(message_id)
        if chat is None or line is None:
            raise LookupError(f"chat {chat_id} has no message {message_id}")
        return chat, line

    def _origin(self, chat: Chat, line: Line) -> dict[str, Any]:
        known: dict[str, Any] | None = line.content.get("forward_origin")
        if known is not None:
            return known
        author = self._sender.bot if line.from_bot else chat.as_sender()
        return from_user(author["id"], author["first_name"], is_bot=line.from_bot)
