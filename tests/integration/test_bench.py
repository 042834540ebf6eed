"""The benchmark runs and prints every row; how fast it was is not judged here."""

import pytest

from storage.messages import RECEIVE
from tests.bench.figures import Figure, table
from tests.bench.pgbench import BOUND, receive_script
from tests.support.modules import run_module

pytestmark = pytest.mark.xdist_group("loads the machine")

ROWS = [
    "updates received",
    "event log on receiving",
    "bursts answered",
    "start to polling",
    "first token to first draft",
    "replies",
    "model calls",
    "added to quiet and model",
]


@pytest.mark.timeout(900)  # it starts eight processes in turn, each of which imports for seconds
async def test_a_quick_run_prints_every_row() -> None:
    code, out, err = await run_module("tests.bench", "--quick")
    assert code in (0, 1), err
    assert err == ""
    _headings, _rule, *rows = out.splitlines()
    assert [row.split("  ")[0] for row in rows] == ROWS
    assert all(row.endswith(("ok", "OUT OF BOUND")) for row in rows)


def test_a_ratio_is_judged_by_its_bound() -> None:
    assert Figure("speed", 30, "a second", base=100, at_least=0.3).holds
    assert not Figure("speed", 29, "a second", base=100, at_least=0.3).holds
    assert Figure("start", 13, "s", base=10, at_most=1.3).holds
    assert not Figure("start", 14, "s", base=10, at_most=1.3).holds
    assert not Figure("replies", 1.01, "a burst", at_least=1, at_most=1).holds


def test_the_table_says_which_figure_falls_short() -> None:
    figures = [
        Figure("speed", 30, "a second", base=100, at_least=0.2),
        Figure("wait", 0.5, "s", at_most=0.3),
    ]
    assert table(figures).splitlines() == [
        "figure  ours         base          ratio  bound",
        "--------------------------------------------------------------",
        "speed   30 a second  100 a second  0.30   >= 0.2  ok",
        "wait    0.5 s                             <= 0.3  OUT OF BOUND",
    ]


def test_pgbench_runs_the_sql_that_the_bot_runs() -> None:
    script = receive_script(chats=7)
    assert "\\set chat random(1, 7)" in script
    assert not any(f"{name}" in script for name in BOUND)
    words = [line.strip() for line in RECEIVE.splitlines() if not line.startswith("--")]
    missing = [line for line in words if line not in script and ":" not in line]
    assert missing == []
