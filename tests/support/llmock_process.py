"""llmock, a model server by somebody else, as a process of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

LLMOCK = Path(sys.executable).with_name("llmock")
LISTENING = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


@dataclass(frozen=True)
class LlmockProcess:
    """What it is told to do wrong, and its opinion of who calls it."""

    address: str

    @property
    def url(self) -> str:
        """For OPENAI_BASE_URL."""
        return f"{self.address}/v1"

    async def expect(self, *behaviors: dict[str, object]) -> None:
        """Forget everything, and do these things to the calls that come."""
        await self._ask("POST", "reset")
        if behaviors:
            await self._ask("POST", "scenario", {"behaviors": behaviors})

    async def faults_of_client(self) -> list[str]:
        """Which of its calls a client made or took as nobody should."""
        findings = (await self._ask("GET", "verdict"))["findings"]
        return [str(each) for each in findings if each["severity"] == "error"]

    async def requests(self) -> int:
        """How many calls came."""
        return int((await self._ask("GET", "requests"))["count"])

    async def _ask(self, method: str, what: str, body: object = None) -> dict[str, Any]:
        async with (
            aiohttp.ClientSession(raise_for_status=True) as http,
            http.request(method, f"{self.address}/_llmock/{what}", json=body) as answer,
        ):
            said: dict[str, Any] = await answer.json()
            return said


@contextmanager
def llmock_process() -> Iterator[LlmockProcess]:
    """Running for the length of the block, on a port of its own choice."""
    command = [str(LLMOCK), "serve", "--port", "0", "--log-level", "info"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        said = []
        try:
            for line in process.stderr:
                said.append(line)
                if found := LISTENING.search(line):
                    yield LlmockProcess(found[1])
                    return
            raise AssertionError("".join(said))
        finally:
            process.terminate()
