"""Secrets of a bot under test, and the check that none of them was written anywhere."""

from urllib.parse import quote

from tests.support.processes import BotProcess

TOKEN = "4242:nobody-may-see-this-token"
KEY = "sk-nobody-may-see-this-key"
PASSWORD = 'nobody may see "this" p\u00e4ssword'
WORDS = ("this-token", "this-key", "nobody may see", quote(PASSWORD), quote(PASSWORD)[:16])


def assert_kept(process: BotProcess) -> None:
    written = process.stdout + process.stderr
    for word in WORDS:
        assert word not in written
