"""Commands about the conversation: begin, stop, start over, answer again."""

from datetime import timedelta

from bot.commands.desk import Desk, Request, say
from storage.people import keep_payload
from storage.records import InboundMessage
from storage.retry import pictures_to_see_again

LONGEST_PAYLOAD = 64
"""Telegram's bound on what a link may carry: https://core.telegram.org/bots/features#deep-linking"""


async def start(desk: Desk, request: Request) -> None:
    """Greet, and keep what the link said."""
    if request.argument:
        payload = request.argument[:LONGEST_PAYLOAD]
        await keep_payload(desk.db, request.key.chat_id, payload)
    say(desk, request, "start")


async def stop(desk: Desk, request: Request) -> None:
    """Settle what is unanswered without a reply."""
    cancelled = await desk.receiver.cancel(request.key, request.message_id, reset=False)
    is_stopped = cancelled.messages or cancelled.was_done
    say(desk, request, "stop-done" if is_stopped else "stop-nothing")


async def reset(desk: Desk, request: Request) -> None:
    """The same, and what was said before is not looked at any more."""
    await desk.receiver.cancel(request.key, request.message_id, reset=True)
    say(desk, request, "reset-done")


async def retry(desk: Desk, request: Request) -> None:
    """Have the model asked again, as if the person had said so, and without waiting for more."""
    pictures = await pictures_to_see_again(desk.db, request.key)
    if pictures is None:
        say(desk, request, "retry-nothing")
        return
    text = desk.words.say("retry-asks", request.language)
    message = InboundMessage(request.key, request.message_id, text, attachments=pictures)
    await desk.receiver.receive_alone(message, quiet=timedelta(0))
