"""Files that the bot sends: uploaded with the call, or named by the id of one that is there."""

from bot.standins.files import Files, StoredFile
from bot.standins.wire import ApiError, Params, Upload

_LARGEST_UPLOAD = 50 * 1024 * 1024
_ATTACHED = "attach://"


def checked_document(params: Params, files: Files) -> StoredFile:
    """The document of a call, stored."""
    named = params.get("document", "")
    upload = params.uploads.get(named.removeprefix(_ATTACHED) or "document")
    if upload is not None:
        return _stored(upload, files)
    if not named or named.startswith(_ATTACHED):
        raise ApiError(400, "Bad Request: there is no document in the request")
    known = files.by_id(named)
    if known is None:
        raise ApiError(400, "Bad Request: wrong file identifier/HTTP URL specified")
    return known


def _stored(upload: Upload, files: Files) -> StoredFile:
    if not upload.data:
        raise ApiError(400, "Bad Request: file must be non-empty")
    if len(upload.data) > _LARGEST_UPLOAD:
        raise ApiError(413, "Request Entity Too Large")
    return files.keep(upload.data, "documents", upload.name, upload.mime_type)
