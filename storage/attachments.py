"""Attachments as the database keeps them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from storage.records import Attachment


def as_json(attachments: Sequence[Attachment]) -> str | None:
    """JSON for the column; None: there are none."""
    return json.dumps([asdict(each) for each in attachments]) if attachments else None


def from_rows(stored: Iterable[Mapping[str, Any]] | str | None) -> tuple[Attachment, ...]:
    """The attachments of a row."""
    found = json.loads(stored) if isinstance(stored, str) else stored
    return tuple(Attachment(**each) for each in found or ())
