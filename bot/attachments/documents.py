"""The words of documents, up to a limit; what is left out is said."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from io import BytesIO
from pathlib import PurePath
from time import monotonic

from charset_normalizer import from_bytes
from pypdf import PdfReader

from storage.records import Attachment

MOST_CHARACTERS = 20_000
MOST_PAGES = 30
PDF_SECONDS = 20.0
MOST_SPOILT = 0.1
"""Of the characters beyond ASCII; if there are more, it is no UTF-8."""
ASCII = bytes(range(0x80))
TELLING = 50_000
"""So many bytes of a text tell how all of it is encoded."""
IN_A_ROW = re.compile(rb"[\x80-\xff]{3,}")

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
    text = data.decode("utf-8-sig", "replace")
    spoilt = text.count("\N{REPLACEMENT CHARACTER}")
    if spoilt <= MOST_SPOILT * sum(not character.isascii() for character in text):
        return text  # perhaps it was cut in the middle of a character
    return data.decode(_windows_encoding(data), "replace")


def _windows_encoding(data: bytes) -> str:
    """Which of those it is that Windows writes in the languages of the bot."""
    beyond_ascii = len(data.translate(None, delete=ASCII))
    if 2 * sum(map(len, IN_A_ROW.findall(data))) <= beyond_ascii:
        return "cp1252"  # here an accent, there an accent
    best = from_bytes(data[:TELLING], cp_isolation=["cp1251", "cp949"]).best()
    return best.encoding if best else "cp1252"


def _suffix(attachment: Attachment) -> str:
    return PurePath(attachment.name or "").suffix.lower()
