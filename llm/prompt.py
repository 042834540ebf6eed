"""History and burst become the turns of one request."""

from collections.abc import Iterable, Sequence

from llm.contract import Turn


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


def _alternating(turns: Iterable[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        if (
            merged
            and turn.role == merged[-1].role in ("user", "assistant")
            and not (turn.tool_calls or merged[-1].tool_calls)
        ):
            merged[-1] = Turn(turn.role, f"{merged[-1].text}\n{turn.text}")
        else:
            merged.append(turn)
    return merged
