"""The steps of the program, and the scene in which each of them happens."""

import re
from pathlib import Path

import bot.app  # noqa: F401 (verbs enter their names when they are imported)
from storage.verbs import VERBS
from tests.faults import scenes
from tests.faults.scenes import Scene

ROOT = Path(__file__).parents[2]

SCENES: dict[str, Scene] = {
    "other_bots": scenes.plain,
    "poller_of": scenes.plain,
    "take_polling": scenes.plain,
    "renew_polling": scenes.slow_model,
    "release_polling": scenes.stopped,
    "get_updates": scenes.plain,
    "receive": scenes.plain,
    "set_aside": scenes.broken_update,
    "tell_once": scenes.in_a_group,
    "note_person": scenes.plain,
    "other_holders": scenes.plain,
    "free_leases_of": scenes.plain,
    "due_conversations": scenes.plain,
    "due_in": scenes.throttled,
    "take_lease": scenes.plain,
    "renew_leases": scenes.slow_model,
    "messages_between": scenes.plain,
    "last_replies": scenes.plain,
    "model_call": scenes.plain,
    "supersede": scenes.interrupted,
    "postpone_run": scenes.model_down,
    "hand_over": scenes.stopped,
    "hand_over_delivery": scenes.stopped_while_sending,
    "commit_reply": scenes.plain,
    "open_parts": scenes.plain,
    "start_part": scenes.plain,
    "send_message": scenes.plain,
    "record_part": scenes.plain,
    "postpone_delivery": scenes.throttled,
    "finish": scenes.plain,
    "cancel_burst": scenes.cancelled,
    "person": scenes.commanded,
    "keep_payload": scenes.commanded,
    "can_be_answered_again": scenes.commanded,
    "own_data": scenes.commanded,
    "choose_language": scenes.commanded,
    "choose_streaming": scenes.commanded,
    "forget_everything": scenes.commanded,
}

POINTS = [f"{when} {step}" for step in SCENES for when in ("before", "after")]


def scene_of(point: str) -> Scene:
    """Where that point is passed."""
    return SCENES[point.partition(" ")[2]]


def all_steps() -> set[str]:
    """Every verb of storage, and every outward call by the name it has in the code."""
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for room in ("bot", "coordination", "llm")
        for path in (ROOT / room).glob("*.py")
    )
    return set(VERBS) | set(re.findall(r'\bstep\([\w.]+, "(\w+)"\)', code))
