"""What can go wrong with the model, by name."""

from collections.abc import Callable

from bot.standins.faults import CutStream, Hang, ModelFault, RefuseCompletion, Say, Stall
from bot.standins.switch_kinds import Argument, Kind
from bot.standins.switches import Switches

COMPLETION = "completion"
"""Where most of these switches strike."""
TRANSCRIPTION = "transcription"
"""Where those strike too that can."""
TOOL_CALL = "tool call"
"""Where a switch strikes that touches only answers that call tools."""
BAD_TOOL_ARGUMENTS = "bad-tool-arguments"

_WORDS = Argument("words", 3, 100_000)
_NO_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. "
    "For more information on this error, read the docs: "
    "https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in more. "
    "Please reduce the length of the messages."
)
_OVERLOADED = "The server had an error while processing your request. Sorry about that!"


def _kind(name: str, title: str, does: str, argument: Argument | None = None) -> Kind:
    return Kind(name, title, does, (COMPLETION,), argument)


def _any(name: str, title: str, does: str, argument: Argument | None = None) -> Kind:
    return Kind(name, title, does, (COMPLETION, TRANSCRIPTION), argument)


def _rate_limit(seconds: float) -> ModelFault:
    return RefuseCompletion(
        429, "rate_limit_exceeded", "Rate limit reached for requests.", seconds, kind="requests"
    )


def _many_words(kilobytes: float) -> ModelFault:
    room = round(kilobytes * 1000)
    words = (f"word-{number:06}-of-a-huge-answer" for number in range(room // 29 + 1))
    return Say(" ".join(words)[:room].rstrip())


# In the order in which they are asked: a late answer may fail besides.
_CALLS: list[tuple[Kind, Callable[[float], ModelFault]]] = [
    (
        _any("late", "first word late", "Waits before it answers.", Argument("seconds", 5, 3600)),
        Stall,
    ),
    (
        _any("429", "429 rate limit", "Refuses with Retry-After.", Argument("seconds", 2, 3600)),
        _rate_limit,
    ),
    (
        _any("500", "500 server error", "Refuses with OpenAI's JSON."),
        lambda _: RefuseCompletion(500, None, _OVERLOADED),
    ),
    (_any("hang", "no answer ever", "Waits until the bot gives up."), lambda _: Hang()),
    (
        _kind("cut", "answer ends half-way", "Ends the stream after so many words.", _WORDS),
        lambda words: CutStream(round(words), "clean"),
    ),
    (
        _kind("drop", "connection drops half-way", "Hangs up after so many words.", _WORDS),
        lambda words: CutStream(round(words), "drop"),
    ),
    (
        _kind("malformed", "broken event", "Sends no JSON after so many words.", _WORDS),
        lambda words: CutStream(round(words), "malformed"),
    ),
    (_any("empty", "empty answer", "Finishes without a word."), lambda _: Say("")),
    (
        _any("huge", "huge answer", "Answers at this length.", Argument("kilobytes", 200, 10_000)),
        _many_words,
    ),
    (
        _kind("too-long", "prompt too long", "Refuses with 400 context_length_exceeded."),
        lambda _: RefuseCompletion(400, "context_length_exceeded", _TOO_LONG),
    ),
    (
        _any("no-quota", "no quota left", "Refuses with 429 insufficient_quota."),
        lambda _: RefuseCompletion(429, "insufficient_quota", _NO_QUOTA, kind="insufficient_quota"),
    ),
]

_OTHERS = [
    Kind(
        BAD_TOOL_ARGUMENTS,
        "broken tool arguments",
        "Cuts the JSON of a tool call's arguments short.",
        (TOOL_CALL,),
    ),
]

KINDS = [*(kind for kind, _ in _CALLS), *_OTHERS]


class ModelSwitches(Switches):
    """The switches of one stand-in model."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(KINDS, seed)

    def faults_of_call(self, where: str = COMPLETION) -> list[ModelFault]:
        """What this call meets."""
        return self.met(_CALLS, where)

    def break_arguments(self) -> bool:
        """Whether the arguments of this answer's tool calls are to be broken."""
        return self.strikes(BAD_TOOL_ARGUMENTS, TOOL_CALL) is not None
