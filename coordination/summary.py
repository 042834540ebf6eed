"""The summary of what is too old to be in the prompt, made once and kept.

Older turns are summarised in blocks, each with the summary before it, so that a long conversation
costs one more request every few bursts. It is a deterministic step (temperature 0), cached under
a hash of all that went into it; replies to users are never cached.
"""

import json
from collections.abc import Sequence
from hashlib import sha256

import structlog

from coordination.dialogue import Dialogue
from coordination.history import Said, history
from coordination.lease_keeper import HeldLease
from coordination.patience import until_available
from coordination.rules import Rules
from llm.contract import ForGood, TooLong, TryLater, Turn
from storage import cache, messages
from storage.cache import Summary
from storage.database import Database
from storage.records import Burst, ConversationKey, Seq
from storage.text import storable

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 400
"""Messages; of a conversation that was never summarised, what came before stays out."""
BYTES_PER_TOKEN = 4
"""Of English, by OpenAI's rule of thumb."""
TEMPERATURE = 0.0
INSTRUCTIONS = (
    "You keep the memory of a chat. Write down in at most {words} words what matters for later: "
    "facts about the user, wishes, decisions, open questions. Keep what the summary so far says "
    "unless it was corrected. Answer with the summary alone."
)


class Summarizer:
    """Summarises what the bound on the history leaves out."""

    def __init__(self, db: Database, rules: Rules, dialogue: Dialogue) -> None:
        self._db = db
        self._dialogue = dialogue
        self._tokens = rules.summary_tokens
        self._block = block_of(rules)
        self._instructions = INSTRUCTIONS.format(words=rules.summary_tokens * 3 // 4)
        self._is_refused = False
        self._recipe = _hash(rules.model, TEMPERATURE, self._instructions)

    async def before(self, held: HeldLease, burst: Burst, seq: int) -> Summary | None:
        """The summary of the messages before `seq`, as far as whole blocks go; None: there is none.

        It is no reason to fail: when the model cannot make one, an older one must do.
        """
        last_seq = (seq - 1) // self._block * self._block
        if not self._tokens or last_seq <= burst.reset_seq or self._is_refused:
            return None
        found = await until_available(
            lambda: cache.nearest_summary(
                self._db,
                held.lease.key,
                recipe=self._recipe,
                after_seq=burst.reset_seq,
                last_seq=last_seq,
            )
        )
        if found and found.last_seq == last_seq:
            return found
        try:
            return await self._made(held, burst, found, Seq(last_seq))
        except ForGood as error:
            # A model that takes no temperature, for example, would refuse every one; one that
            # dislikes what is said in this chat, or finds it too long, would not.
            is_about_this = isinstance(error, TooLong) or not error.reason.startswith("HTTP 4")
            self._is_refused = not is_about_this
            log.warning("no_summary", reason=error.reason, never_again=self._is_refused)
        except TryLater as error:
            log.warning("no_summary", reason=error.reason)
        return found

    async def _made(
        self, held: HeldLease, burst: Burst, before: Summary | None, last_seq: Seq
    ) -> Summary:
        known_seq = before.last_seq if before else burst.reset_seq
        said = await self._between(held.lease.key, known_seq, last_seq)
        turns = [Turn("system", self._instructions), Turn("user", _told(before, said))]
        answer = await self._dialogue.ask(held, burst, turns, temperature=TEMPERATURE)
        text = _cut(storable(answer.text.strip()), self._tokens * BYTES_PER_TOKEN)
        key = _hash(self._recipe, before.key if before else "", turns[-1].text)
        summary = Summary(key, last_seq, text)
        await until_available(
            lambda: cache.keep_summary(self._db, held.lease.key, summary, recipe=self._recipe)
        )
        return summary

    async def _between(self, key: ConversationKey, known_seq: Seq, last_seq: Seq) -> list[Said]:
        after = max(known_seq, last_seq - MOST_AT_ONCE)
        stored = await until_available(
            lambda: messages.messages_between(self._db, key, after_seq=after, last_seq=last_seq)
        )
        replies = await until_available(
            lambda: messages.replies_between(self._db, key, after_seq=after, last_seq=last_seq)
        )
        return history(stored, replies)


def block_of(rules: Rules) -> int:
    """How many messages are summarised at a time."""
    return max(1, rules.history_messages // 4)


def _told(before: Summary | None, said: Sequence[Said]) -> str:
    names = {"user": "User", "assistant": "Bot"}
    lines = [f"{names[turn.role]}: {turn.text}" for _, turn in said]
    so_far = f"Summary so far:\n{before.text}\n\n" if before else ""
    return f"{so_far}What was said since:\n" + "\n".join(lines)


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")


def _hash(*parts: object) -> str:
    return sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
