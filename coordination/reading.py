"""What came with the messages of a burst: read for the model, and the words of it kept."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from coordination.history import Said, heard_words
from coordination.patience import until_available
from coordination.ports import Attachments, Readable, Unreadable
from llm.contract import Image, Turn
from storage.attachments import keep_heard
from storage.database import Database
from storage.records import Attachment, ConversationKey, StoredMessage
from storage.text import storable

MOST_PICTURES = 10
"""In one burst."""
TOO_MANY = Unreadable(f"[you see only {MOST_PICTURES} pictures at a time, not this one: say so]")


class Reading:
    """Makes turns of messages with all that came with them."""

    def __init__(self, db: Database, attachments: Attachments) -> None:
        self._db = db
        self._attachments = attachments

    async def turns(self, key: ConversationKey, fresh: Sequence[StoredMessage]) -> list[Said]:
        """The messages in their order; nothing is fetched of which the words were kept."""
        pictures = [each for message in fresh for each in message.attachments if each.is_picture]
        left_out = pictures[MOST_PICTURES:]
        return await asyncio.gather(*(self._said(key, message, left_out) for message in fresh))

    async def _said(
        self, key: ConversationKey, message: StoredMessage, left_out: Sequence[Attachment]
    ) -> Said:
        if message.heard is not None or not message.attachments:
            return Said(message.seq, Turn("user", heard_words(message)))
        lines, words, images = [message.text], list[str](), list[Image]()
        for attachment in message.attachments:
            contents = (
                TOO_MANY if attachment in left_out else await self._attachments.read(attachment)
            )
            match contents:
                case Readable():
                    words.append(storable(contents.text))
                case Unreadable():
                    lines.append(contents.words)
                case Image():
                    images.append(contents)
                case _:
                    assert_never(contents)
        if words:
            await self._keep(key, message, "\n".join(words))
        return Said(message.seq, Turn("user", "\n".join(lines + words), images=tuple(images)))

    async def _keep(self, key: ConversationKey, message: StoredMessage, heard: str) -> None:
        seq, attachments = message.seq, message.attachments
        await until_available(lambda: keep_heard(self._db, key, seq, attachments, heard))
