"""Attachments as the database keeps them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from storage.database import Database
from storage.records import Attachment, ConversationKey
from storage.verbs import verb

KEEP_HEARD = """
UPDATE messages SET heard = :heard
WHERE chat_id = :chat_id AND thread_id = :thread_id AND seq = :seq AND heard IS NULL
  AND attachments = CAST(CAST(:attachments AS text) AS jsonb)
RETURNING seq
"""


@verb
async def keep_heard(
    db: Database,
    key: ConversationKey,
    seq: int,
    attachments: Sequence[Attachment],
    heard: str,
) -> bool:
    """Keep what was read from these attachments; False: an edit has brought others, or we know."""
    given = {**key._asdict(), "seq": seq, "attachments": as_json(attachments), "heard": heard}
    return await db.fetch_one(KEEP_HEARD, given) is not None


def as_json(attachments: Sequence[Attachment]) -> str | None:
    """JSON for the column; None: there are none."""
    return json.dumps([asdict(each) for each in attachments]) if attachments else None


def from_rows(stored: Iterable[Mapping[str, Any]] | str | None) -> tuple[Attachment, ...]:
    """The attachments of a row."""
    found = json.loads(stored) if isinstance(stored, str) else stored
    return tuple(Attachment(**each) for each in found or ())
