"""`onereply run` with a setting that cannot work ends at once, with one line that names it."""

import pytest

from tests.badinput.surroundings import RIGHT, SECRET
from tests.support.processes import bot_process

SETTINGS_EXIT = 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TELEGRAM_BOT_TOKEN", f"4242:{SECRET}\u2003"),
        ("TELEGRAM_API_URL", "http://telegram.example/{method}"),
        ("OPENAI_BASE_URL", "http://[::1/v1"),
        ("OPENAI_API_KEY", f"{SECRET}\n"),
        ("DATABASE_URL", f"postgresql://bot:{SECRET}/x@db.example:port/bot"),
        ("DATABASE_URL", f"postgresql://bot:{SECRET}@db.example/bot?sslmode=perhaps"),
    ],
)
async def test_one_line_and_no_traceback(name: str, value: str) -> None:
    async with bot_process(RIGHT | {name: value}) as bot:
        assert await bot.ended() == SETTINGS_EXIT
    [line] = [line for line in bot.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith(name)
    assert SECRET not in bot.stderr
