"""A live feed of what happens in the chats, for the page."""

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

Kind: TypeAlias = Literal["chat", "message", "edit", "delete", "action", "draft", "notice"]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something one would see in a chat; `detail` is ready to be encoded as JSON."""

    kind: Kind
    chat_id: int
    detail: dict[str, Any]


class Subscription:
    """Happenings since it was opened, as an async iterator; closing it ends the iteration."""

    def __init__(self, feed: "Feed") -> None:
        self._feed = feed
        self._queue: asyncio.Queue[Happening | None] = asyncio.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Happening:
        happening = await self._queue.get()
        if happening is None:
            raise StopAsyncIteration
        return happening

    def put(self, happening: Happening | None) -> None:
        """Hand over what happened; None ends the iteration."""
        self._queue.put_nowait(happening)

    def close(self) -> None:
        """Stop listening."""
        self._feed.leave(self)
        self.put(None)


class Feed:
    """Hands every happening to all subscribers."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()

    def subscribe(self) -> Subscription:
        """Listen from now on."""
        subscription = Subscription(self)
        self._subscriptions.add(subscription)
        return subscription

    def leave(self, subscription: Subscription) -> None:
        """Forget a subscriber; leaving twice changes nothing."""
        self._subscriptions.discard(subscription)

    def tell(self, kind: Kind, chat_id: int, detail: dict[str, Any]) -> None:
        """Announce what happened."""
        if self._subscriptions:
            happening = Happening(kind, chat_id, detail)
            for subscription in self._subscriptions:
                subscription.put(happening)

    def close(self) -> None:
        """End every subscription."""
        for subscription in list(self._subscriptions):
            subscription.close()
