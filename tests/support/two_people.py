"""Ada and Bob write the same bursts at the same time; what each of them must see."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.app import App
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_settled
from tests.support.whole_bursts import HELD_OPEN, closed_when_whole

ADA, BOB = 501, 502
BURST = ("one", "two")
LATER = ("three", "four")


@asynccontextmanager
async def bot_for_both(around: Neighbours, **changed: object) -> AsyncIterator[App]:
    """The bot, for bursts of two messages from each of them."""
    async with (
        running_bot(around.settings(**HELD_OPEN, **changed)) as app,
        closed_when_whole(around.database_url, len(BURST)),
    ):
        yield app


def write(around: Neighbours, texts: tuple[str, ...] = BURST) -> None:
    """Both write, taking turns."""
    for text in texts:
        for chat_id in (ADA, BOB):
            around.telegram.say(chat_id, text)


def replies(around: Neighbours) -> list[list[str]]:
    """What each of them saw."""
    return [[sent.text for sent in around.seen_by(chat_id)] for chat_id in (ADA, BOB)]


def assert_answered_once(around: Neighbours, *bursts: tuple[str, ...]) -> None:
    """Each of them saw one reply to each burst, and it covers the burst."""
    for seen in replies(around):
        assert len(seen) == len(bursts), seen
        for reply, burst in zip(seen, bursts, strict=True):
            assert [text in reply for text in burst] == [True] * len(burst), seen


async def assert_one_burst_is_answered(around: Neighbours, *, calls: int) -> None:
    """Both write; the model is asked so often, and then each of them has one reply."""
    async with bot_for_both(around):
        write(around)
        await around.model.wait_for_calls(calls)
        await until_settled(around.database_url)
    assert len(around.model.calls) == calls
    assert_answered_once(around, BURST)
