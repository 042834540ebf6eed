"""Numbers as people say them."""


def seconds(milliseconds: float | None) -> str:
    """A span of time, as people read it."""
    return "some time" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def some(amount: int, thing: str) -> str:
    """`1 part`, `2 parts`."""
    return f"{amount:,} {thing}" if amount == 1 else f"{amount:,} {thing}s"


def messages(first: int, last: int) -> str:
    """`message 3`, `messages 3 to 5`."""
    return f"message {first}" if first == last else f"messages {first} to {last}"


def place(number: int) -> str:
    """`second`, `third`, `4th`."""
    return {2: "second", 3: "third"}.get(number, f"{number}th")
