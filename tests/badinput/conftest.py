from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """What a line of the log looks like is not what is tried here."""
    with structlog.testing.capture_logs():
        yield
