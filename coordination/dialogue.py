"""A run's talk with the model: ask, perform the tools that it calls, ask again."""

import json
from collections.abc import Sequence
from dataclasses import replace

import structlog

from coordination.breaker import Breaker
from coordination.draft import Draft
from coordination.lease_keeper import HeldLease
from coordination.metrics import (
    MODEL_CALLS,
    MODEL_FIRST_TOKEN,
    MODEL_SECONDS,
    MODEL_TOKENS,
)
from coordination.patience import until_available
from coordination.tools.perform import Performer
from llm.contract import (
    Answer,
    ForGood,
    Meter,
    NothingSaid,
    ToolCall,
    ToolSpec,
    TryLater,
    Turn,
    Writer,
)
from storage import effects, model_calls
from storage.database import Database
from storage.effects import Effect
from storage.model_calls import ModelCall, ModelOutcome
from storage.records import Burst
from storage.steps import step

log = structlog.get_logger(__name__)

MOST_ROUNDS = 8
"""Of tools in one run; then the model must answer with what it knows."""


class Dialogue:
    """Asks the model in the name of a run, and writes down what each request cost."""

    def __init__(
        self, db: Database, writer: Writer, performer: Performer, breaker: Breaker
    ) -> None:
        self._db = db
        self._writer = writer
        self._performer = performer
        self._breaker = breaker

    @property
    def has_tools(self) -> bool:
        """Whether the model may call any."""
        return bool(self._performer.toolbox.specs)

    async def answer(
        self, held: HeldLease, burst: Burst, turns: Sequence[Turn], draft: Draft
    ) -> str:
        """The model's last word on the turns.

        Raises:
            TryLater, ForGood: as the model's client does.
        """
        said = list(turns)
        try:
            return await self._talk(held, burst, said, draft)
        except NothingSaid:
            # Some models say everything beside their call of a tool, and nothing after it.
            spoken = _spoken(said[len(turns) :])
            if not spoken:
                raise
            log.info("answered_before_the_tools")
            return spoken

    async def _talk(self, held: HeldLease, burst: Burst, said: list[Turn], draft: Draft) -> str:
        for _ in range(MOST_ROUNDS):
            answer = await self.ask(held, burst, said, self._performer.toolbox.specs, draft=draft)
            if not answer.tool_calls:
                return answer.text
            said.append(Turn("assistant", answer.text, tool_calls=_readable(answer.tool_calls)))
            for asked in answer.tool_calls:
                words = await self._performer.perform(held, burst, asked)
                said.append(Turn("tool", words, tool_call_id=asked.id))
        log.warning("too_many_tool_calls", rounds=MOST_ROUNDS)
        return (await self.ask(held, burst, said, draft=draft)).text

    async def ask(
        self,
        held: HeldLease,
        burst: Burst,
        turns: Sequence[Turn],
        tools: Sequence[ToolSpec] = (),
        *,
        temperature: float | None = None,
        draft: Draft | None = None,
    ) -> Answer:
        """Ask once, and write down what it took.

        Raises:
            TryLater, ForGood: as the model's client does.
        """
        meter = Meter()
        if draft:
            draft.begin()
        outcome: ModelOutcome = "cancelled"
        reason = None
        try:
            async with step(self._db.at, "model_call"):
                answer = await self._writer.write(
                    turns,
                    tools=tools,
                    temperature=temperature,
                    on_chunk=draft.add if draft else None,
                    meter=meter,
                )
            outcome = "tools" if answer.tool_calls else "answered"
            self._breaker.answered()
        except TryLater as error:
            outcome, reason = "failed", error.reason
            self._breaker.failed(error.retry_after)
            raise
        except ForGood as error:
            outcome, reason = "refused", error.reason
            self._breaker.answered()
            raise
        finally:
            held.model_calls += 1
            await self._record(held, burst, _told(meter, outcome, reason, held.model_calls))
        return answer

    async def effects_so_far(self, burst: Burst, held: HeldLease) -> list[Effect]:
        """What earlier runs of the burst have done; the model is told, and need not ask again."""
        if not self.has_tools:
            return []
        found = await self._effects_of(burst, held)
        if interrupted := [each for each in found if not each.is_settled]:
            await self._performer.resume(held, burst, interrupted)
            found = await self._effects_of(burst, held)
        return [each for each in found if each.is_settled]

    async def _effects_of(self, burst: Burst, held: HeldLease) -> list[Effect]:
        first = burst.answered_seq + 1
        return await until_available(
            lambda: effects.effects_of_burst(self._db, held.lease.key, first)
        )

    async def _record(self, held: HeldLease, burst: Burst, call: ModelCall) -> None:
        await until_available(
            lambda: model_calls.record_model_call(self._db, held.lease, burst.run, call)
        )
        _count(call)
        log.info(
            "model_called",
            outcome=call.outcome,
            reason=call.reason,
            ms=call.total_ms,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
        )


def _readable(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    # Servers refuse a prompt with broken JSON in it, even if it is the model's own.
    return tuple(
        call if _is_json(call.arguments) else replace(call, arguments="{}") for call in calls
    )


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _spoken(turns: Sequence[Turn]) -> str:
    said = (turn.text.strip() for turn in turns if turn.role == "assistant")
    return "\n\n".join(filter(None, said))


def as_turns(effect: Effect) -> list[Turn]:
    """A recorded call, as the model would have seen it."""
    asked = ToolCall(f"call_{effect.key[:24]}", effect.tool, effect.arguments)
    return [
        Turn("assistant", "", tool_calls=(asked,)),
        Turn("tool", effect.result, tool_call_id=asked.id),
    ]


def _told(meter: Meter, outcome: ModelOutcome, reason: str | None, number: int) -> ModelCall:
    first = meter.first_token_seconds
    return ModelCall(
        number=number,
        outcome=outcome,
        reason=reason,
        first_token_ms=None if first is None else round(1000 * first),
        total_ms=round(1000 * meter.total_seconds),
        tokens_in=meter.usage.tokens_in,
        tokens_out=meter.usage.tokens_out,
        is_estimated=meter.usage.estimated,
    )


def _count(call: ModelCall) -> None:
    MODEL_CALLS.labels(call.outcome).inc()
    MODEL_SECONDS.observe(call.total_ms / 1000)
    if call.first_token_ms is not None:
        MODEL_FIRST_TOKEN.observe(call.first_token_ms / 1000)
    MODEL_TOKENS.labels("in").inc(call.tokens_in)
    MODEL_TOKENS.labels("out").inc(call.tokens_out)
