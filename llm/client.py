"""The client of an OpenAI-compatible server."""

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from llm.contract import ModelSettings

_LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")


def openai_client(settings: ModelSettings) -> AsyncOpenAI:
    """A client that repeats nothing by itself.

    Raises `OpenAIError` on an empty key, `httpx2.InvalidURL` on a broken address.
    """
    return AsyncOpenAI(
        api_key=settings.api_key,
        base_url=settings.base_url,
        timeout=settings.timeout_seconds,
        max_retries=0,
        # HTTP_PROXY without NO_PROXY would send calls to a server on this machine away.
        http_client=DefaultAsyncHttpxClient(mounts=dict.fromkeys(_LOOPBACK)),
    )
