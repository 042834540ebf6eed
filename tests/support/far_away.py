"""The bot as one on another machine looks from here: nobody can prove that it is dead."""

from unittest.mock import patch

from bot.__main__ import main
from tests.support.unhurried import give_time

if __name__ == "__main__":
    give_time()
    with patch("bot.identity._where_pids_mean_the_same", return_value=None):
        main()
