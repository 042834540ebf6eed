"""The answer as far as it has come."""

from coordination.ports import Show
from llm.contract import Chunk
from llm.stream import Transcript


class Draft:
    """Puts chunks together and shows the result; each request to the model begins anew."""

    def __init__(self) -> None:
        self._transcript = Transcript()
        self._before = ""
        self.show: Show = _nobody_looks

    @property
    def text(self) -> str:
        """What there is of the answer; what an earlier request brought shows until more comes."""
        return self._transcript.text or self._before

    def begin(self) -> None:
        """Begin anew with the next chunk."""
        self._before = self.text
        self._transcript = Transcript()

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk; any other changes nothing."""
        if self._transcript.apply(chunk):
            self.show(self._transcript.text)


def _nobody_looks(_text: str) -> None:
    """For as long as there is no chat to show it in."""
