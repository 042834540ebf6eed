"""Local mode stands for one Telegram: a second one on the same database would cross its chats."""

from tests.support.postgres import reachable_folder
from tests.support.processes import bot_process


async def test_local_mode_refuses_to_be_the_second() -> None:
    with reachable_folder() as folder:
        settings = {"EMBEDDED_DATA_DIR": str(folder / "local"), "HTTP_PORT": "0"}
        async with bot_process(settings, "local") as first:
            await first.logged("polling_started")
            async with bot_process(settings, "local") as second:
                assert await second.ended() == 2
                assert "already running" in second.stderr
                assert "EMBEDDED_DATA_DIR" in second.stderr
            assert await first.terminate() == 0
        async with bot_process(settings, "local") as again:
            await again.logged("polling_started")
            assert await again.terminate() == 0
