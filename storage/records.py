"""What several rooms of storage take and give; what only one of them deals with is found there."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, NewType

Fence = NewType("Fence", int)
RunNumber = NewType("RunNumber", int)
Version = NewType("Version", int)
Seq = NewType("Seq", int)

PartState = Literal["pending", "sending", "sent", "unconfirmed", "refused"]
Format = Literal["rich", "entities", "plain"]
"""How a part goes out: as it stands in Markdown, with entities made of that, or as it stands."""


class ConversationKey(NamedTuple):
    """One private chat and its topic (`thread_id` 0 where there is none)."""

    chat_id: int
    thread_id: int


FileKind = Literal["photo", "voice", "video_note", "document", "audio", "video"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of Telegram's that came with a message."""

    kind: FileKind
    file_id: str
    size: int | None = None
    """Bytes, as far as Telegram says."""
    mime: str | None = None
    name: str | None = None

    @property
    def is_picture(self) -> bool:
        """Whether it is one that can be shown; SVG is a text."""
        mime = self.mime or ""
        is_image = mime.startswith("image/") and mime != "image/svg+xml"
        return self.kind == "photo" or (self.kind == "document" and is_image)


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message as it came in, ready to be counted, or its edit."""

    key: ConversationKey
    message_id: int
    text: str
    attachments: tuple[Attachment, ...] = ()
    sent_at: datetime | None = None
    edited_at: datetime | None = None
    quiet: timedelta = timedelta(0)
    """How long its window waits at least: more of the same is likely to come."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a conversation looks like after its new messages were counted."""

    key: ConversationKey
    inbound_seq: Seq
    due_in: float
    """Seconds until the window closes; negative once it did."""
    fresh: int = field(default=1, compare=False)
    """How many of the messages given were new."""
    revision: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to answer one conversation, until somebody raises the fence."""

    key: ConversationKey
    holder: str
    fence: Fence


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its holder knows it: which one, and at which step."""

    number: RunNumber
    version: Version
    """That of the event that brought it into its state."""


@dataclass(frozen=True, slots=True)
class Burst:
    """The messages a run answers: those after `answered_seq`, up to `last_seq`."""

    run: Run
    answered_seq: Seq
    last_seq: Seq
    final_at: datetime
    """From then on the run is final: it is not cancelled, and newer messages wait (G5)."""
    final_in: float
    """Seconds until `final_at`; zero or less once the run is final."""
    model_attempts: int
    """Tries that failed since the watermark last moved."""
    is_promised: bool = False
    """Whether the person was told that an answer will come."""
    revision: int = 0
    """Raised by each edit of an unanswered message: what was read before is outdated."""
    reset_seq: Seq = Seq(0)
    """What was said up to there is not to be looked at any more."""


@dataclass(frozen=True, slots=True)
class CommittedReply:
    """A reply that is in the outbox and still has to reach its chat."""

    run: Run
    burst: int | None = field(default=None, compare=False)
    """First message of what it answers; None: nothing, it is a reminder."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A lease just taken, and the work that comes with it."""

    lease: Lease
    work: Burst | CommittedReply
    overdue: float = field(default=0.0, compare=False)
    """Seconds since the work was due."""
    found_lost: bool = field(default=False, compare=False)
    """True if the run before it had been left unfinished under another lease."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """A lease that is still ours, and the counter as it stands."""

    lease: Lease
    inbound_seq: Seq
    revision: int = 0
    is_to_stop: bool = False
    """True if the person asked that the answer stop where it is."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """An inbound message as counted."""

    seq: Seq
    message_id: int
    text: str
    attachments: tuple[Attachment, ...] = ()
    heard: str | None = None
    """What was read from the attachments, once somebody read them."""
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SentReply:
    """A reply that went out, after the messages up to `last_seq`."""

    last_seq: Seq
    text: str | None
    """None: the person did not want an answer to these."""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a reply, as the outbox holds it."""

    number: int
    text: str
    format: Format
    state: PartState
    attempts: int


@dataclass(frozen=True, slots=True)
class Released:
    """A lease that was ours is free again."""

    due_in: float | None
    """Seconds until the conversation wants a wake-up (negative: overdue); None: nothing waits."""
    tokens: int = field(default=0, compare=False)
    """Spent by the run that has ended."""
    state: str = field(default="", compare=False)
    """The one in which it ended."""
