"""The answer as far as it has come."""

from coordination.ports import Show
from llm.contract import Chunk
from llm.stream import Transcript


class Draft:
    """Puts chunks together and shows the result; each request to the model begins anew."""

    def __init__(self) -> None:
        self._transcript = Transcript()
        self.show: Show = _nobody_looks

    @property
    def text(self) -> str:
        """What there is of the answer."""
        return self._transcript.text

    def begin(self) -> None:
        """Forget what an earlier request brought."""
        self._transcript = Transcript()

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk; any other changes nothing."""
        if self._transcript.apply(chunk):
            self.show(self._transcript.text)


def _nobody_looks(_text: str) -> None:
    """For as long as there is no chat to show it in."""
