"""The bot in processes of its own: started, watched through its log, signalled, always ended."""

import asyncio
import json
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.forked import Forked, fork_and_listen
from tests.support.surroundings import surroundings

HANG_SECONDS = 100.0
"""A start costs seconds of importing, and several may share two cores."""
BOT = "bot"
FAR_AWAY = "tests.support.far_away"

Line = dict[str, Any]


class BotProcess:
    """One `python -m bot`: what it logs as JSON, what it prints, and how it ends."""

    def __init__(
        self, process: Process | Forked, out: asyncio.StreamReader, err: asyncio.StreamReader
    ) -> None:
        self._process = process
        self._grown = asyncio.Event()
        self._log_ended = False
        self._reading = asyncio.gather(self._read_log(err), self._read_output(out))
        self.log: list[Line] = []
        self.stderr = ""
        self.stdout = ""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    def events(self, name: str) -> list[Line]:
        """The lines logged so far for one kind of event."""
        return [line for line in self.log if line.get("event") == name]

    async def logged(self, name: str, count: int = 1) -> Line:
        """Return the line of the `count`th such event as soon as it is logged."""
        try:
            async with asyncio.timeout(HANG_SECONDS):
                while len(found := self.events(name)) < count:
                    assert not self._log_ended, f"ended without {name}:\n{self.stderr}"
                    await self._grown.wait()
        except TimeoutError:
            raise TimeoutError(f"no {name} from process {self.pid}:\n{self.stderr}") from None
        return found[count - 1]

    def signal(self, number: signal.Signals) -> None:
        """Signal this process, which we started and have not reaped, and no other."""
        assert self.is_running, f"process {self.pid} has ended:\n{self.stderr}"
        self._process.send_signal(number)

    async def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.signal(signal.SIGKILL)
        await self._process.wait()

    async def terminate(self) -> int:
        """Ask it to stop, as a container runtime would, and return its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        """Wait for its end, with all it wrote read; the exit code, negative for a signal."""
        try:
            async with asyncio.timeout(HANG_SECONDS):
                code = await self._process.wait()
                await asyncio.shield(self._reading)
        except TimeoutError:
            raise TimeoutError(f"process {self.pid} does not end:\n{self.stderr}") from None
        return code

    async def clean_up(self) -> None:
        """Leave nothing behind, stopped processes included."""
        if self.is_running:
            self._process.kill()
        await self._process.wait()
        await self._reading

    async def _read_log(self, err: asyncio.StreamReader) -> None:
        async for raw in err:
            text = raw.decode()
            self.stderr += text
            if text.startswith("{"):
                self.log.append(json.loads(text))
            self._notify()
        self._log_ended = True
        self._notify()

    async def _read_output(self, out: asyncio.StreamReader) -> None:
        self.stdout = (await out.read()).decode()

    def _notify(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()


@asynccontextmanager
async def bot_process(
    environment: Mapping[str, str], *arguments: str, module: str = BOT
) -> AsyncIterator[BotProcess]:
    """The command line (`run` unless said otherwise) in a process; killed if it still runs."""
    with tempfile.TemporaryDirectory(prefix="onereply-") as empty:
        process, out, err = await fork_and_listen(
            module,
            *(arguments or ("run",)),
            environment=_settings(environment),
            folder=Path(empty),  # no .env there
        )
        bot = BotProcess(process, out, err)
        async with _watched(bot):
            yield bot


@asynccontextmanager
async def imported_anew(environment: Mapping[str, str]) -> AsyncIterator[BotProcess]:
    """`python -m bot run`, from the first import on."""
    with tempfile.TemporaryDirectory(prefix="onereply-") as empty:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", BOT, "run"),
            cwd=empty,
            env=_settings(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        assert process.stdout
        assert process.stderr
        bot = BotProcess(process, process.stdout, process.stderr)
        async with _watched(bot):
            yield bot


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    return surroundings() | dict(environment) | {"LOG_FORMAT": "json"}


@asynccontextmanager
async def _watched(bot: BotProcess) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        await bot.clean_up()
        # For the report of the test that failed.
        sys.stderr.write(f"--- process {bot.pid}\n{bot.stderr}")
        raise
    finally:
        await bot.clean_up()


async def poller(processes: Sequence[BotProcess], count: int = 1) -> BotProcess:
    """Whoever of them is the `count`th to poll since the database was made."""
    async with asyncio.timeout(HANG_SECONDS):
        while True:
            for process in processes:
                if any(line["fence"] == count for line in process.events("polling_started")):
                    return process
            await asyncio.sleep(0.02)


@asynccontextmanager
async def frozen(processes: Sequence[BotProcess]) -> AsyncIterator[None]:
    """Only so that they do not take the conversations which are meant for another."""
    for process in processes:
        process.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            process.signal(signal.SIGCONT)
