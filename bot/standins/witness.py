"""What people get to see of the bot, and how far it has come with what they did."""

from collections.abc import Sequence

from bot.standins.chats import Chats
from bot.standins.commands import Commands, Menu
from bot.standins.drafts import Draft
from bot.standins.files import Files
from bot.standins.happenings import Feed, Subscription
from bot.standins.news import HANG_SECONDS
from bot.standins.polling import Polling
from bot.standins.presses import PressAnswer, Presses
from bot.standins.replies import ChatAction, Sent, SentLog
from bot.standins.sending import Sender
from bot.standins.spoilt_updates import SpoiltQueue
from bot.standins.telegram_switches import TelegramSwitches


class Witness:
    """Keeps all chats, and sees everything in them."""

    def __init__(self, first_id: int, switches: TelegramSwitches) -> None:
        self.switches = switches
        self.chats = Chats(first_id)
        self.files = Files()
        queue = SpoiltQueue(first_id, switches)
        self._polling = Polling(queue)
        queue.came = self._polling.wake
        self._log = SentLog()
        self._feed = Feed()
        self._commands = Commands()
        self._presses = Presses(self._feed)
        self._sender = Sender(self.chats, self.files, self._log, self._feed)

    @property
    def sent(self) -> Sequence[Sent]:
        """Everything the users saw, in order."""
        return self._log.everything

    @property
    def actions(self) -> Sequence[ChatAction]:
        """The latest chat actions, in order."""
        return self._sender.actions

    @property
    def drafts(self) -> Sequence[Draft]:
        """The latest drafts, in order."""
        return self._sender.drafts.written

    @property
    def press_answers(self) -> Sequence[PressAnswer]:
        """The latest answers to presses of buttons, in order."""
        return self._presses.answers

    @property
    def pending(self) -> int:
        """How many updates are not confirmed yet."""
        return len(self._polling.queue)

    @property
    def confirmed_offset(self) -> int:
        """The last offset by which the bot confirmed updates; 0 for none."""
        return self._polling.queue.confirmed_offset

    @property
    def confirmed_at(self) -> float | None:
        """When that offset came, in monotonic seconds."""
        return self._polling.queue.confirmed_at

    @property
    def next_update_id(self) -> int:
        """The id the next update gets."""
        return self._polling.queue.next_id

    def draft_in(self, chat_id: int) -> Draft | None:
        """The draft that shows in a chat now."""
        return self._sender.drafts.shown.get(chat_id)

    def keep_drafts_for(self, seconds: float) -> None:
        """How long a draft that is not renewed shows from now on: usually 30 s."""
        self._sender.drafts.seconds = seconds

    def menu_in(self, chat_id: int) -> Menu:
        """The commands that a person is offered in a chat."""
        return self._commands.menu_of(self.chats.by_id[chat_id])

    def subscribe(self) -> Subscription:
        """Listen to what happens in the chats from now on."""
        return self._feed.subscribe()

    async def wait_for_reply(
        self,
        chat_id: int,
        count: int = 1,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> list[Sent]:
        """Return all messages the chat ever got as soon as there are at least `count`."""
        return await self._log.wait_for(chat_id, count, timeout)

    async def wait_for_draft(
        self,
        chat_id: int,
        count: int = 1,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> list[Draft]:
        """Return all drafts of the chat as soon as there were at least `count`."""
        return await self._sender.drafts.wait_for(chat_id, count, timeout)

    async def wait_for_press_answer(
        self,
        query_id: str,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> PressAnswer:
        """Return what the bot answered to a press of a button as soon as it does."""
        return await self._presses.wait_for_answer(query_id, timeout)
