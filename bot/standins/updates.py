"""The queue behind getUpdates, after tdlib's: ids rise, an offset forgets all below it."""

import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice

# tdlib's queue refuses an offset further ahead than this, and the server then starts at the head.
_FURTHEST_AHEAD = 10


@dataclass(slots=True)
class _Sequence:
    """Updates with rising ids; `tail` is the id the next one gets."""

    tail: int
    entries: deque[tuple[int, bytes]] = field(default_factory=deque)


class UpdateQueue:
    """Updates nobody has confirmed yet, each kept as the JSON that goes over the wire.

    Telegram restarts its ids at random after a quiet week. An update pushed with an id that does
    not rise begins such a new sequence, which is served when the one before it is confirmed.
    """

    def __init__(self, first_id: int) -> None:
        self._sequences: deque[_Sequence] = deque([_Sequence(tail=first_id)])
        self._pending = 0
        self.confirmed_offset = 0
        self.confirmed_at: float | None = None

    @property
    def next_id(self) -> int:
        """The id the next update gets."""
        return self._sequences[-1].tail

    def __len__(self) -> int:
        return self._pending

    def push(self, encoded_body: bytes, update_id: int | None = None) -> int:
        """Append an update, given as the members of its JSON object after `update_id`."""
        newest = self._sequences[-1]
        chosen = newest.tail if update_id is None else update_id
        if chosen < newest.tail and newest.entries:
            newest = _Sequence(tail=chosen)
            self._sequences.append(newest)
        newest.entries.append((chosen, b'{"update_id":%d,%b}' % (chosen, encoded_body)))
        newest.tail = chosen + 1
        self._pending += 1
        return chosen

    def take(self, offset: int, limit: int) -> list[bytes]:
        """Forget what the offset confirms and return the next updates, which stay queued."""
        if offset < 0:
            self.forget_all(keep=-offset)
        elif offset > 0:
            self._forget_below(offset)
        return [encoded for _, encoded in islice(self._sequences[0].entries, limit)]

    def forget_all(self, keep: int = 0) -> None:
        """Drop all but the newest `keep` updates."""
        while self._pending > keep:
            self._sequences[0].entries.popleft()
            self._pending -= 1
            self._begin_next_sequence()

    def _forget_below(self, offset: int) -> None:
        while offset <= self._sequences[0].tail + _FURTHEST_AHEAD:
            self._note_confirmed(offset)
            entries = self._sequences[0].entries
            while entries and entries[0][0] < offset:
                _, encoded = entries.popleft()
                self._pending -= 1
                self._confirmed(encoded)
            if not self._begin_next_sequence():
                return

    def _note_confirmed(self, offset: int) -> None:
        if offset != self.confirmed_offset:
            self.confirmed_offset = offset
            self.confirmed_at = time.monotonic()

    def _confirmed(self, encoded: bytes) -> None:
        """Told of each update when the bot confirms it."""

    def _begin_next_sequence(self) -> bool:
        ended = len(self._sequences) > 1 and not self._sequences[0].entries
        if ended:
            self._sequences.popleft()
        return ended
