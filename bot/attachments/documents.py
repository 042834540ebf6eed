"""The words of documents, up to a limit; what is left out is said."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from io import BytesIO
from pathlib import PurePath
from time import monotonic

from pypdf import PdfReader

from storage.records import Attachment

MOST_CHARACTERS = 20_000
MOST_PAGES = 30
PDF_SECONDS = 20.0

TEXT_TYPES = re.compile(
    r"text/.*|image/svg\+xml|application/(x-)?(json|javascript|sh|sql|toml|xml|yaml)"
)
TEXT_SUFFIXES = re.compile(
    r"\.(bat|c|cfg|conf|cpp|cs|css|csv|dart|diff|ex|go|h|hpp|hs|html?|ini|java|jl|jsonl?|jsx?|kt"
    r"|log|lua|md|php|pl|ps1|py|rb?|rs|rst|scala|sh|sql|srt|svg|swift|tex|toml|tsv|tsx?|txt|vue"
    r"|xml|ya?ml|zig)"
)


class NotText(Exception):
    """It is called text, and is not."""


def is_pdf(attachment: Attachment) -> bool:
    """Whether it is called a PDF."""
    return attachment.mime == "application/pdf" or _suffix(attachment) == ".pdf"


def is_text(attachment: Attachment) -> bool:
    """Whether it is called something that consists of words."""
    matches = TEXT_TYPES.fullmatch(attachment.mime or "")
    return bool(matches or TEXT_SUFFIXES.fullmatch(_suffix(attachment)))


def text_of(data: bytes) -> str:
    """The words of a text file."""
    return _shortened(_decoded(data), "")


def text_of_pdf(data: bytes) -> str:
    """The words of a PDF's first pages; of one that takes too long, of as many as there were."""
    deadline = monotonic() + PDF_SECONDS
    pages = PdfReader(BytesIO(data)).pages
    texts: list[str] = []
    for page in pages[:MOST_PAGES]:
        if monotonic() > deadline or sum(map(len, texts)) > MOST_CHARACTERS:
            break
        texts.append(page.extract_text())
    cut = f"[only the first {len(texts)} of {len(pages)} pages]" if len(texts) < len(pages) else ""
    return _shortened("\n\n".join(texts), cut)


def _shortened(text: str, cut: str) -> str:
    text = text.strip() or "[it holds no words]"
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS]
        cut = f"{cut}\n[only the first {MOST_CHARACTERS} characters]".strip()
    return f"{text}\n{cut}".rstrip()


def _decoded(data: bytes) -> str:
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        raise NotText
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _suffix(attachment: Attachment) -> str:
    return PurePath(attachment.name or "").suffix.lower()
