"""Many chats at once: none of them waits for another, and each burst costs one call."""

from tests.support.neighbours import Neighbours, running_bot
from tests.support.side_by_side import LINES, talk
from tests.support.waiting import until_settled
from tests.support.whole_bursts import HELD_OPEN, closed_when_whole

CHATS, BURSTS = 50, 3
MODEL_SECONDS = 2


async def test_g1_one_reply_and_one_call_for_each_burst_of_fifty_chats(around: Neighbours) -> None:
    around.model.delay = MODEL_SECONDS
    async with (
        running_bot(around.settings(**HELD_OPEN)),
        closed_when_whole(around.database_url, LINES),
    ):
        answered = await talk(around.telegram, chats=CHATS, bursts=BURSTS, pause=0.1, spread=1)
        await until_settled(around.database_url)
    assert len(answered) == CHATS * BURSTS
    for burst in answered:
        assert all(line in burst.reply.text for line in burst.lines)
    assert len(around.telegram.sent) == CHATS * BURSTS
    assert around.model.counts["begun"] == CHATS * BURSTS
    assert {call.outcome for call in around.model.calls} == {"answered"}
