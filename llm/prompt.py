"""History and burst become the turns of one request."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from llm.contract import Turn

UNSEEN = "[you cannot see pictures: say so]"


def assemble(
    system_prompt: str, history: Sequence[Turn], burst: Sequence[Turn], limit: int
) -> list[Turn]:
    """Return the system prompt (unless blank), the last `limit` turns of `history`, and the burst.

    After the system turn come user and assistant turns in strict alternation, a user turn first
    and last, since many compatible servers refuse anything else: neighbours of one role are joined
    by a newline, and an assistant turn that the bound cut off from its question is left out. Only
    a burst for which tools were called has those calls and their results in between.
    """
    recent = list(history[-limit:]) if limit else []
    while recent and recent[0].role != "user":
        del recent[0]
    system = [Turn("system", system_prompt)] if system_prompt.strip() else []
    return [*system, *_alternating([*recent, *burst])]


def without_images(turns: Iterable[Turn]) -> list[Turn]:
    """The same for a model that sees nothing, and knows that there was something to see."""
    return [
        replace(turn, text=f"{turn.text}\n{UNSEEN}", images=()) if turn.images else turn
        for turn in turns
    ]


def _alternating(turns: Iterable[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        if (
            merged
            and turn.role == merged[-1].role in ("user", "assistant")
            and not (turn.tool_calls or merged[-1].tool_calls)
        ):
            before = merged[-1]
            merged[-1] = replace(
                before, text=f"{before.text}\n{turn.text}", images=before.images + turn.images
            )
        else:
            merged.append(turn)
    return merged
