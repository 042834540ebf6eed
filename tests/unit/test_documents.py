"""What documents and pictures are made into."""

from io import BytesIO

import pytest
from PIL import Image
from pypdf import PdfWriter

from bot.attachments import pictures
from bot.attachments.documents import (
    MOST_CHARACTERS,
    MOST_PAGES,
    NotText,
    is_pdf,
    is_text,
    text_of,
    text_of_pdf,
)
from bot.attachments.pictures import LONGEST_SIDE, TooManyPixels, picture
from storage.records import Attachment

ORIENTATION = 0x0112
ROTATED = 6


def document(mime: str | None, name: str | None) -> Attachment:
    return Attachment("document", "f", 5, mime, name)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("naïve".encode(), "naïve"),
        ("naïve".encode("utf-8-sig"), "naïve"),
        ("naïve".encode("utf-16"), "naïve"),
        ("naïve “quote”".encode("cp1252"), "naïve “quote”"),
        ("¿Él? ¡Sí, señor!".encode("cp1252"), "¿Él? ¡Sí, señor!"),
        ("Имя;Город\r\nЮлия;Минск".encode("cp1251"), "Имя;Город\r\nЮлия;Минск"),
        ("name;이름\r\nAda;에이다".encode("cp949"), "name;이름\r\nAda;에이다"),
        ("주문번호,전화번호\r\n12,010".encode("cp949"), "주문번호,전화번호\r\n12,010"),
        ("сколько лет, сколько зим".encode()[:-1], "сколько лет, сколько зи\ufffd"),
        (b"\x81\xff", "\ufffd\xff"),
        (b" \n", "[it holds no words]"),
    ],
)
def test_text_in_many_encodings(data: bytes, text: str) -> None:
    assert text_of(data) == text


def test_of_a_long_text_the_model_is_told_what_is_missing() -> None:
    assert text_of(b"x" * MOST_CHARACTERS) == "x" * MOST_CHARACTERS
    cut = text_of(b"x" * (MOST_CHARACTERS + 1))
    assert cut == "x" * MOST_CHARACTERS + "\n[only the first 20000 characters]"


def test_binary_data_is_no_text() -> None:
    with pytest.raises(NotText):
        text_of(b"MZ\0\0")


@pytest.mark.parametrize(
    ("attachment", "kinds"),
    [
        (document("text/plain", None), (True, False)),
        (document("application/x-sh", "run"), (True, False)),
        (document(None, "main.PY"), (True, False)),
        (document("application/octet-stream", "a.md"), (True, False)),
        (document("image/svg+xml", "a"), (True, False)),
        (document(None, "a.pdf"), (False, True)),
        (document("application/pdf", None), (False, True)),
        (document("application/zip", "a.zip"), (False, False)),
        (document(None, None), (False, False)),
    ],
)
def test_what_a_document_is_called(attachment: Attachment, kinds: tuple[bool, bool]) -> None:
    assert (is_text(attachment), is_pdf(attachment)) == kinds


def pdf(pages: int) -> bytes:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(100, 100)
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


HELLO_PDF = b"""%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R
/Resources<</Font<</F <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> >> >> >> endobj
4 0 obj <</Length 31>> stream
BT /F 9 Tf 9 9 Td (Hello) Tj ET
endstream endobj
trailer <</Root 1 0 R>>
startxref
0
%%EOF
"""


def test_the_words_of_a_pdf() -> None:
    assert text_of_pdf(HELLO_PDF) == "Hello"


def test_of_a_long_pdf_the_first_pages_are_read() -> None:
    assert text_of_pdf(pdf(MOST_PAGES)) == "[it holds no words]"
    cut = text_of_pdf(pdf(MOST_PAGES + 1))
    assert cut == "[it holds no words]\n[only the first 30 of 31 pages]"


def drawn(mode: str, size: tuple[int, int], kind: str, orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    written = BytesIO()
    Image.new(mode, size).save(written, kind, exif=exif)
    return written.getvalue()


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (drawn("RGB", (100, 50), "JPEG"), (100, 50)),
        (drawn("RGB", (3000, 1500), "JPEG"), (LONGEST_SIDE, LONGEST_SIDE // 2)),
        (drawn("RGB", (100, 50), "JPEG", ROTATED), (50, 100)),
        (drawn("L", (100, 50), "PNG"), (100, 50)),
        (drawn("P", (100, 50), "GIF"), (100, 50)),
        (drawn("CMYK", (100, 50), "JPEG"), (100, 50)),
    ],
    ids=["small", "large", "rotated", "grey", "palette", "cmyk"],
)
def test_pictures_become_moderate_upright_jpegs(data: bytes, size: tuple[int, int]) -> None:
    made = picture(data)
    assert made.mime == "image/jpeg"
    with Image.open(BytesIO(made.data)) as shown:
        assert (shown.format, shown.mode, shown.size) == ("JPEG", "RGB", size)


def test_what_is_transparent_becomes_white() -> None:
    with Image.open(BytesIO(picture(drawn("RGBA", (9, 9), "PNG")).data)) as shown:
        assert shown.getpixel((4, 4)) == (255, 255, 255)


def test_a_picture_that_claims_to_be_huge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PIXELS", 99)
    with pytest.raises(TooManyPixels):
        picture(drawn("RGB", (10, 10), "PNG"))
