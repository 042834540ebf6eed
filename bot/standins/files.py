"""The files of all chats: who has a file's id may fetch it."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from bot.standins.wire import ApiError

_BYTES_KEPT = 512 * 1024 * 1024
_ID_PREFIX = "BQACAgIAAxkB"
_LARGEST_DOWNLOAD = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as Telegram keeps it; `path` is where it is downloaded from."""

    file_id: str
    unique_id: str
    path: str
    name: str
    mime_type: str
    data: bytes = field(repr=False)

    def as_object(self) -> dict[str, Any]:
        """What every object of the Bot API that stands for a file has."""
        return {
            "file_id": self.file_id,
            "file_unique_id": self.unique_id,
            "file_size": len(self.data),
        }


class Files:
    """Every file that a person or the bot sent; the oldest go when there is too much."""

    def __init__(self) -> None:
        self._by_unique_id: OrderedDict[str, StoredFile] = OrderedDict()
        self._bytes = 0
        self._kept = 0

    def keep(self, data: bytes, folder: str, name: str, mime_type: str) -> StoredFile:
        """Store a file; `folder` is the first part of its path."""
        self._kept += 1
        suffix = name.rpartition(".")[2] if "." in name else "bin"
        unique_id = f"AQAD{self._kept:08x}"
        stored = StoredFile(
            file_id=_ID_PREFIX + unique_id,
            unique_id=unique_id,
            path=f"{folder}/file_{self._kept}.{suffix if suffix.isalnum() else 'bin'}",
            name=name,
            mime_type=mime_type,
            data=data,
        )
        self._by_unique_id[unique_id] = stored
        self._bytes += len(data)
        while self._bytes > _BYTES_KEPT and len(self._by_unique_id) > 1:
            self._bytes -= len(self._by_unique_id.popitem(last=False)[1].data)
        return stored

    def by_unique_id(self, unique_id: str) -> StoredFile | None:
        """Look a file up for the page."""
        return self._by_unique_id.get(unique_id)

    def by_path(self, path: str) -> StoredFile | None:
        """Look a file up for a download."""
        return next((each for each in self._by_unique_id.values() if each.path == path), None)

    def by_id(self, file_id: str) -> StoredFile | None:
        """Look a file up for a call."""
        return self._by_unique_id.get(file_id.removeprefix(_ID_PREFIX))

    def describe(self, params: dict[str, str]) -> dict[str, Any]:
        """getFile: the File, with the path to download it from."""
        file_id = params.get("file_id", "")
        if not file_id:
            raise ApiError(400, "Bad Request: file_id not specified")
        stored = self.by_id(file_id)
        if stored is None:
            raise ApiError(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        if len(stored.data) > _LARGEST_DOWNLOAD:
            raise ApiError(400, "Bad Request: file is too big")
        return {**stored.as_object(), "file_path": stored.path}
