"""The steps of the program, and the scene in which each of them happens."""

import re
from collections.abc import Iterable
from pathlib import Path

import bot.app
import bot.tools.contacts
import bot.tools.reminders  # noqa: F401 (verbs enter their names when they are imported)
from storage.verbs import VERBS
from tests.faults import scenes
from tests.faults import scenes_with_tools as with_tools
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
    "other_holders": scenes.plain,
    "free_leases_of": scenes.plain,
    "due_conversations": scenes.plain,
    "due_in": scenes.throttled,
    "take_lease": scenes.plain,
    "renew_leases": scenes.slow_model,
    "background_of": scenes.plain,
    "note_person": scenes.plain,
    "keep_heard": scenes.with_a_document,
    "messages_between": scenes.plain,
    "last_replies": scenes.remembered,
    "model_call": scenes.plain,
    "record_model_call": scenes.plain,
    "supersede": scenes.interrupted,
    "postpone_run": scenes.model_down,
    "tell_to_wait": scenes.model_away,
    "hand_over": scenes.stopped,
    "hand_over_delivery": scenes.stopped_while_sending,
    "commit_reply": scenes.plain,
    "open_parts": scenes.plain,
    "start_part": scenes.plain,
    "send_message": scenes.plain,
    "record_part": scenes.plain,
    "recut": scenes.too_rich,
    "postpone_delivery": scenes.throttled,
    "finish": scenes.plain,
    "edit": scenes.edited,
    "ask_to_stop": scenes.enough,
    "nearest_summary": scenes.remembered,
    "replies_between": scenes.remembered,
    "keep_summary": scenes.remembered,
    "cancel_burst": scenes.cancelled,
    "person": scenes.commanded,
    "keep_payload": scenes.commanded,
    "pictures_to_see_again": scenes.commanded,
    "own_data": scenes.commanded,
    "choose_language": scenes.commanded,
    "choose_streaming": scenes.commanded,
    "forget_everything": scenes.commanded,
}

TOOL_SCENES: dict[str, Scene] = {
    "tool_call": with_tools.contact,
    "claim_effect": with_tools.contact,
    "settle_effect": with_tools.contact,
    "effects_of_burst": with_tools.contact,
    "save_facts": with_tools.contact,
    "contact_of": with_tools.contact,
    "replay_effect": with_tools.superseded,
    "take_over_effect": with_tools.left_behind,
    "user_of": with_tools.shared,
    "take_resource": with_tools.shared,
    "release_resource": with_tools.shared,
    "renew_resource": with_tools.shared_for_long,
    "set_reminder": with_tools.reminded,
    "waiting_reminders": with_tools.reminded,
    "post_due_reminders": with_tools.reminded,
    "cancel_reminder": with_tools.cancelled,
    "claim_undos": with_tools.undone,
    "settle_undo": with_tools.undone,
    "forget_facts": with_tools.undone,
}

ALL_SCENES = SCENES | TOOL_SCENES


def points(steps: Iterable[str]) -> list[str]:
    """Before and after each of them."""
    return [f"{when} {step}" for step in steps for when in ("before", "after")]


def scene_of(point: str) -> Scene:
    """Where that point is passed."""
    return ALL_SCENES[point.partition(" ")[2]]


def all_steps() -> set[str]:
    """Every verb of storage, and every outward call by the name it has in the code."""
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for room in ("bot", "coordination", "llm")
        for path in (ROOT / room).rglob("*.py")
    )
    return set(VERBS) | set(re.findall(r'\bstep\([\w.]+, "(\w+)"\)', code))
