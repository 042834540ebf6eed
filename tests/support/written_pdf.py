"""A PDF of one page with one line."""

from io import BytesIO

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def written_pdf(line: str) -> bytes:
    """The file; the line has letters and spaces only."""
    writer = PdfWriter()
    page = writer.add_blank_page(200, 100)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(name) for key, name in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): named})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    drawn = DecodedStreamObject()
    drawn.set_data(f"BT /F1 12 Tf 20 50 Td ({line}) Tj ET".encode())
    page[NameObject("/Contents")] = drawn
    written = BytesIO()
    writer.write(written)
    return written.getvalue()
