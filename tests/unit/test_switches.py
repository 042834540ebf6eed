"""When a switch strikes, how it may be set, and in what words."""

import asyncio

import pytest

from bot.standins.switch_kinds import Argument, Kind, SwitchError
from bot.standins.switch_words import read_orders
from bot.standins.switchboard import Order, Switchboard
from bot.standins.switches import Switches

SLOW = Kind("slow", "slow", "Waits.", ("walk", "Run"), Argument("seconds", 2, 10))
BROKEN = Kind("broken", "broken", "Fails.", ("walk",))
AWAY = Kind("away", "away", "Is not there.", (), steady=True)


def switches(seed: int = 0) -> Switches:
    return Switches([SLOW, BROKEN, AWAY], seed)


def pattern(tried: Switches, times: int = 40, name: str = "slow") -> str:
    return "".join(".x"[tried.strikes(name, "walk") is not None] for _ in range(times))


def test_off_until_switched_on_and_off_again() -> None:
    tried = switches()
    assert pattern(tried, 3) == "..."
    tried.on("slow")
    assert pattern(tried, 3) == "xxx"
    tried.off("slow")
    tried.off("slow")
    assert pattern(tried, 3) == "..."
    assert tried.struck == {"slow": 3}


def test_argument_as_given_or_usual() -> None:
    tried = switches()
    tried.on("slow")
    usual = tried.strikes("slow", "walk")
    tried.on("slow", 0.5)
    given = tried.strikes("slow", "walk")
    assert [each and each.argument for each in (usual, given)] == [2, 0.5]


def test_a_count_goes_down_only_where_it_strikes() -> None:
    tried = switches()
    tried.on("slow", count=2, methods=["run"])
    assert pattern(tried, 3) == "..."
    assert [bool(tried.strikes("slow", "RUN")) for _ in range(3)] == [True, True, False]
    assert tried.get("slow") is None


def test_the_same_seed_strikes_the_same_whatever_else_happens() -> None:
    one, other, elsewhere = switches(7), switches(7), switches(8)
    for tried in (one, other, elsewhere):
        tried.on("slow", rate=0.5)
    other.on("broken", rate=0.5)
    pattern(other, name="broken")
    first = pattern(one)
    assert pattern(other) == first
    assert pattern(elsewhere) != first
    assert 8 < first.count("x") < 32
    assert pattern(one) != first
    one.sow(7)
    assert pattern(one) == first


def test_rate_and_count_together() -> None:
    tried = switches()
    tried.on("slow", rate=0.5, count=3)
    struck = pattern(tried)
    assert struck.count("x") == 3
    assert "." in struck.rstrip(".")


def test_who_listens_hears_what_is_thrown_by_hand_only() -> None:
    heard: list[str] = []
    tried = switches()
    tried.changed = lambda kind: heard.append(kind.name)
    tried.on("slow", count=1)
    pattern(tried)
    tried.on("away")
    tried.all_off()
    assert heard == ["slow", "away", "away"]


async def test_waiting_for_strikes() -> None:
    tried = switches()
    tried.on("slow")
    waiting = asyncio.create_task(tried.wait_for_strikes("slow", 2))
    pattern(tried, 1)
    await asyncio.sleep(0)
    assert not waiting.done()
    pattern(tried, 1)
    await waiting
    with pytest.raises(TimeoutError, match="slow struck 2 of 3 times"):
        await tried.wait_for_strikes("slow", 3, timeout=0)


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        (
            Order(name="one:hot"),
            r"no fault is called 'one:hot'. There are:\n  one:slow\[=seconds\]",
        ),
        (Order(name="slow"), "no fault is called 'slow'"),
        (Order(name="two:slow"), "no fault is called 'two:slow'"),
        (Order(name="one:slow", argument=11), "slow: 11 is not from 0 to 10 seconds"),
        (Order(name="one:slow", argument=float("nan")), "slow: nan is not from"),
        (Order(name="one:broken", argument=1), "broken has no argument"),
        (Order(name="one:slow", rate=0), "the rate must be above 0"),
        (Order(name="one:slow", rate=float("nan")), "the rate must be above 0"),
        (Order(name="one:slow", count=0), "the count must be at least 1"),
        (Order(name="one:slow", methods=("fly",)), "slow cannot touch fly, but walk, Run"),
        (Order(name="one:slow", methods=()), "slow cannot touch nothing"),
        (Order(name="one:away", count=1), "away lasts while it is on"),
    ],
)
def test_what_cannot_be_ordered_changes_nothing(order: Order, complaint: str) -> None:
    tried = switches()
    board = Switchboard({"one": tried})
    with pytest.raises(SwitchError, match=complaint):
        board.obey([Order(name="one:broken"), order])
    assert tried.get("broken") is None


def test_board_shows_what_is_on() -> None:
    tried = switches(5)
    board = Switchboard({"one": tried})
    board.obey(
        [Order(name="one:slow", rate=0.5, count=3, methods=("run",)), Order(name="one:away")]
    )
    shown = board.shown()
    slow, broken, away = shown["faults"]
    assert shown["seeds"] == {"one": 5}
    assert (slow["on"], slow["argument"], slow["rate"], slow["count"]) == (True, 2, 0.5, 3)
    assert (slow["methods"], slow["unit"], slow["struck"]) == (["Run"], "seconds", 0)
    assert (broken["on"], broken["argument"], away["on"]) == (False, None, True)
    board.obey([Order(name="one:away", on=False)])
    assert board.shown()["faults"][2]["on"] is False
    board.all_off()
    assert not any(fault["on"] for fault in board.shown()["faults"])


def test_words_of_the_command_line() -> None:
    assert read_orders(["one:slow", "one:slow=2.5,rate=0.1,count=3,method=walk,method=Run"]) == [
        Order(name="one:slow"),
        Order(name="one:slow", argument=2.5, rate=0.1, count=3, methods=("walk", "Run")),
    ]


@pytest.mark.parametrize(
    "words",
    ["one:slow=soon", "one:slow,often", "one:slow,rate=", "one:slow,count=1.5", "slow=1,x=2"],
)
def test_words_that_mean_nothing(words: str) -> None:
    with pytest.raises(SwitchError, match=r"NEIGHBOUR:NAME\[=ARG\]"):
        read_orders([words])
