"""Pictures as a model takes them: upright, of a moderate size, and all of one format."""

from io import BytesIO

from PIL import Image, ImageOps

from llm import contract

LONGEST_SIDE = 1568
"""Pixels; models scale larger ones down themselves."""
QUALITY = 85
MOST_PIXELS = 50_000_000
"""A few kilobytes can claim to be a picture of gigabytes."""


class TooManyPixels(Exception):
    """It is not worth its memory."""


def picture(data: bytes) -> contract.Image:
    """The first frame of a picture in any format that Pillow reads, as JPEG."""
    with Image.open(BytesIO(data)) as opened:
        if opened.width * opened.height > MOST_PIXELS:
            raise TooManyPixels
        # Lets the decoder of JPEG scale down as it reads, which saves most of the memory.
        opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
        upright = ImageOps.exif_transpose(opened)
        upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        written = BytesIO()
        _opaque(upright).save(written, "JPEG", quality=QUALITY)
    return contract.Image("image/jpeg", written.getvalue())


def _opaque(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    with_alpha = image.convert("RGBA")
    white = Image.new("RGBA", with_alpha.size, "white")
    return Image.alpha_composite(white, with_alpha).convert("RGB")
