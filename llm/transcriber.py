"""Speech becomes text: the transcriptions of any OpenAI-compatible server."""

from llm.client import openai_client
from llm.contract import ModelSettings
from llm.failures import sort_failure


class OpenAITranscriber:
    """A `Transcriber`."""

    def __init__(self, settings: ModelSettings, model: str) -> None:
        """Raise what `openai_client` raises."""
        self._client = openai_client(settings)
        self._model = model

    async def transcribe(self, data: bytes, name: str) -> str:
        """The words of a recording; the suffix of `name` says in which format it is.

        Raises:
            TryLater, ForGood: there is no transcription.
        """
        try:
            heard = await self._client.audio.transcriptions.create(
                file=(name, data), model=self._model, response_format="json"
            )
        except Exception as error:  # noqa: BLE001 (sort_failure says why)
            # The cause is dropped: it may quote the key in a traceback.
            raise sort_failure(error) from None
        return heard.text

    async def aclose(self) -> None:
        """Close idle connections."""
        await self._client.close()
