"""Ada and Bob write the same bursts at the same time; what each of them must see."""

from bot.settings import Settings
from bot.standins.model_calls import ModelCall
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_settled

ADA, BOB = 501, 502
BURST = ("one", "two")
LATER = ("three", "four")


def quick(around: Neighbours, **changed: object) -> Settings:
    """Settings for texts that are written at once."""
    return around.settings(debounce_quiet_seconds=0.25, **changed)


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


def calls_to_the_end(around: Neighbours) -> list[ModelCall]:
    """The model calls that no newer message cancelled, as one does when the machine is slow."""
    return [call for call in around.model.calls if call.outcome != "cancelled"]


async def assert_one_burst_is_answered(around: Neighbours, *, calls: int) -> None:
    """Both write; the model is asked so often, and then each of them has one reply."""
    async with running_bot(quick(around)):
        write(around)
        await around.model.wait_for_calls(calls)
        await until_settled(around.database_url)
    assert len(calls_to_the_end(around)) == calls
    assert_answered_once(around, BURST)
