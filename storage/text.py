"""Text that PostgreSQL can keep."""


def storable(text: str) -> str:
    """The text without what PostgreSQL's UTF-8 refuses: NUL and lone surrogates become U+FFFD."""
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\0", "\N{REPLACEMENT CHARACTER}")
