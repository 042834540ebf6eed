"""How soon the first words that the model writes are seen as a draft."""

from statistics import median

from storage.embedded import EmbeddedPostgres
from tests.bench.figures import Figure
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import fresh_database
from tests.support.processes import bot_process

MODEL_SECONDS = 1.0
WORD_SECONDS = 0.1
MOST_SECONDS = 0.4


async def first_words(server: EmbeddedPostgres, *, bursts: int) -> Figure:
    """The median time from the first token to the first draft with words in it."""
    async with fresh_database(server) as dsn, neighbours(dsn) as around:
        around.model.delay, around.model.per_word = MODEL_SECONDS, WORD_SECONDS
        environment = around.environment(debounce_quiet_seconds=0.2, log_level="warning")
        async with bot_process(environment) as bot:
            seconds = [await _after_the_first_token(around, chat) for chat in range(1, bursts + 1)]
            await bot.terminate()
    return Figure("first token to first draft", median(seconds), "s", at_most=MOST_SECONDS)


async def _after_the_first_token(around: Neighbours, chat_id: int) -> float:
    around.telegram.say(chat_id, "tell me a story")
    [reply] = await around.telegram.wait_for_reply(chat_id, timeout=60)
    shown = (each for each in around.telegram.drafts if each.chat_id == chat_id and each.text)
    # On a machine that stalled meanwhile they are seen with the reply.
    return next(shown, reply).at - (around.model.calls[-1].started + MODEL_SECONDS)
