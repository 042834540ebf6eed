"""`remind_me` and its company: a text that comes back when its time has come."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AwareDatetime, Field

from coordination.tools.tool import Call, ToolFailed, acting, reading
from storage import reminders
from storage.reminders import Reminder

LONGEST = timedelta(days=366 * 5)
LONGEST_TEXT = 1000
BIGGEST = 2**63 - 1
"""What PostgreSQL takes for a number."""


async def _cancel(call: Call, result: str, **_arguments: object) -> None:  # noqa: ARG001
    await reminders.cancel_reminder(call.db, call.conversation, key=call.key)


@acting(on_crash="repeat", undo=_cancel)
async def remind_me(
    call: Call,
    text: Annotated[str, Field(description="What to remind of", min_length=1)],
    in_seconds: Annotated[
        float | None, Field(description="Seconds from now; give this or `at`", gt=0)
    ] = None,
    at: Annotated[
        AwareDatetime | None, Field(description="ISO 8601 with the offset, 2030-01-31T09:00+02:00")
    ] = None,
) -> str:
    """Remind the user once, at a time or after a while."""
    if (in_seconds is None) == (at is None):
        raise ToolFailed("Give either in_seconds or at.")
    if not text.strip():
        raise ToolFailed("There is nothing to remind of in that text.")
    if len(text) > LONGEST_TEXT:
        raise ToolFailed(f"The text is longer than {LONGEST_TEXT} characters.")
    if in_seconds is not None and in_seconds > LONGEST.total_seconds():
        raise ToolFailed("That is more than five years away.")
    if at is not None and not datetime.now(UTC) < at <= datetime.now(UTC) + LONGEST:
        raise ToolFailed("That time has passed, or is more than five years away.")
    reminder = await reminders.set_reminder(
        call.db,
        call.conversation,
        key=call.key,
        text=f"⏰ {text.strip()}",
        due_at=at,
        due_in=None if in_seconds is None else timedelta(seconds=in_seconds),
    )
    return f"Reminder {_described(reminder)} is set."


@reading()
async def list_reminders(call: Call) -> str:
    """List the user's reminders that are still to come, with their numbers."""
    waiting = await reminders.waiting_reminders(call.db, call.conversation)
    return "\n".join(map(_described, waiting)) or "There are no reminders."


@acting(on_crash="repeat")
async def cancel_reminder(
    call: Call,
    number: Annotated[int, Field(ge=1, le=BIGGEST, description="Of the reminder, as listed")],
) -> str:
    """Cancel one of the user's reminders."""
    cancelled = await reminders.cancel_reminder(call.db, call.conversation, number=number)
    if cancelled is None:
        raise ToolFailed(f"No reminder {number} is still to come.")
    return f"Reminder {_described(cancelled)} is cancelled."


def _described(reminder: Reminder) -> str:
    when = reminder.due_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{reminder.number} ({when}): {reminder.text.removeprefix('⏰ ')}"
