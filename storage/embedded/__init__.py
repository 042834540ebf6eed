"""A real PostgreSQL for a machine that has none, from the programs in a wheel.

One folder, one server, any number of processes. Each holds a shared lock on the folder while it
uses the server; whoever leaves tries for the exclusive lock, and who gets it was the last and
turns off the light. A process that was killed has let go of its lock; its server stays up and
the next to come joins it. The server listens on a socket in a folder that only its owner can
enter: there is no TCP and no password.
"""

import signal
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote

from storage.embedded.account import Account, server_account
from storage.embedded.binaries import bin_dir_for
from storage.embedded.cluster import DATABASE, make_cluster
from storage.embedded.errors import EmbeddedPostgresError
from storage.embedded.folders import (
    DataFolder,
    default_data_dir,
    open_data_folder,
    open_socket_folder,
)
from storage.embedded.locks import FileLock, exclusively
from storage.embedded.postmaster import find_postmaster, start_postmaster, stop_postmaster

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError", "default_data_dir", "start"]


async def start(data_dir: Path, *, durable: bool = True) -> "EmbeddedPostgres":
    """Join the server on *data_dir*, or start it, making its data on first use.

    Without *durable* a crash of the machine, though not one of PostgreSQL, may lose or damage
    the data: for tests. It counts for whoever starts the server, not for those who join it.
    Raises EmbeddedPostgresError.
    """
    try:
        account = server_account()
        folder = open_data_folder(data_dir, account)
        server = EmbeddedPostgres(folder, await bin_dir_for(account), account, durable=durable)
        await server.join()
    except OSError as error:
        raise EmbeddedPostgresError(
            f"no embedded PostgreSQL in {data_dir}: {error}; set EMBEDDED_DATA_DIR or DATABASE_URL"
        ) from error
    return server


class EmbeddedPostgres:
    """A running server, used by this process until `stop()`."""

    def __init__(
        self, folder: DataFolder, bin_dir: Path, account: Account | None, *, durable: bool
    ) -> None:
        self.bin_dir = bin_dir
        """The folder of PostgreSQL's programs, pgbench among them."""
        self._folder = folder
        self._account = account
        self._durable = durable
        self._presence: FileLock | None = None
        self._socket = folder.socket

    @property
    def dsn(self) -> str:
        """The same for as long as the data folder exists, whoever starts the server."""
        # The port is only part of the socket's name; left out, PGPORT would decide it.
        return f"postgresql://postgres@/{DATABASE}?host={quote(str(self._socket))}&port=5432"

    async def join(self) -> None:
        """Start the server or join those who use it; `start()` has done so."""
        async with exclusively(self._folder.startup_lock):
            self._presence = FileLock(self._folder.users_lock)
            try:
                self._presence.share()
                await make_cluster(self._folder, self.bin_dir, self._account, durable=self._durable)
                await self._run()
            except BaseException:
                await self._leave()
                raise

    async def stop(self) -> None:
        """Leave the server; the last to leave shuts it down. Again is allowed, and nothing."""
        if self._presence is None:
            return
        async with exclusively(self._folder.startup_lock):
            await self._leave()

    async def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop and start the server under everybody who uses it, in good order or as in a crash."""
        async with exclusively(self._folder.startup_lock):
            how = signal.SIGINT if mode == "fast" else signal.SIGQUIT
            await stop_postmaster(self._folder, how)
            await self._run()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _run(self) -> None:
        found = await find_postmaster(self._folder)
        if found is None:
            open_socket_folder(self._folder, self._account)
            found = await start_postmaster(
                self._folder, self.bin_dir, self._account, durable=self._durable
            )
        self._socket = found.socket.parent

    async def _leave(self) -> None:
        presence, self._presence = self._presence, None
        if presence is None:
            return
        try:
            if presence.try_exclusive():
                await stop_postmaster(self._folder, signal.SIGINT)
                with suppress(OSError):
                    self._folder.socket.rmdir()
        finally:
            presence.close()
