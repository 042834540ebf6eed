"""What can go wrong with the Bot API server, by name."""

from collections.abc import Callable

from bot.standins.faults import (
    Call,
    DropAfter,
    DropBefore,
    Fault,
    GarbleAfter,
    GarbleBefore,
    Refuse,
    Stall,
)
from bot.standins.method_names import (
    DOWNLOAD,
    DRAFT_METHODS,
    METHODS,
    OLD_METHODS,
    RICH_EDIT,
    RICH_METHODS,
)
from bot.standins.polling import OTHER_POLLER
from bot.standins.switch_kinds import Argument, Kind
from bot.standins.switches import Switches

AWAY = "away"
REPEAT_UPDATE = "repeat-update"
REPEAT_MESSAGE = "repeat-message"
OUT_OF_ORDER = "out-of-order"
DAY_LATE = "day-late"
IDS_RESTART = "ids-restart"

UPDATE = "update"
"""Where a switch strikes that touches no call but an update."""
POLL = "getUpdates"

_NGINX = b"""<html>\r
<head><title>502 Bad Gateway</title></head>\r
<body>\r
<center><h1>502 Bad Gateway</h1></center>\r
<hr><center>nginx/1.27.3</center>\r
</body>\r
</html>\r
"""


def _seconds(usual: float) -> Argument:
    return Argument("seconds", usual, 3600)


def _too_many(seconds: float) -> Fault:
    return Refuse(429, f"Too Many Requests: retry after {seconds:.0f}", round(seconds))


_NEWER_METHODS = tuple(method for method in METHODS if method not in OLD_METHODS)

# In the order in which they are asked: a slow call may fail besides.
_CALLS: list[tuple[Kind, Callable[[float], Fault]]] = [
    (Kind("slow", "slow", "Begins so many seconds late.", METHODS, _seconds(2)), Stall),
    (
        Kind("429", "429 too many requests", "Refuses with retry_after.", METHODS, _seconds(3)),
        _too_many,
    ),
    (
        Kind("500", "500 server error", "Refuses with Telegram's JSON.", METHODS),
        lambda _: Refuse(500, "Internal Server Error"),
    ),
    (
        Kind("502", "502 bad gateway", "Refuses with nginx's HTML page.", METHODS),
        lambda _: Refuse(502, "", raw_body=_NGINX, content_type="text/html"),
    ),
    (
        Kind("401", "401 token revoked", "Refuses the bot's token.", METHODS),
        lambda _: Refuse(401, "Unauthorized"),
    ),
    (
        Kind("409", "409 second poller", "Refuses as if another program polled.", (POLL,)),
        lambda _: Refuse(409, OTHER_POLLER),
    ),
    (
        Kind("drop-before", "dropped before accepting", "Hangs up and does nothing.", METHODS),
        lambda _: DropBefore(),
    ),
    (
        Kind("drop-after", "dropped after accepting", "Does it, then hangs up.", METHODS),
        lambda _: DropAfter(),
    ),
    (
        Kind("garbled-before", "garbled, not accepted", "Answers broken JSON only.", METHODS),
        lambda _: GarbleBefore(),
    ),
    (
        Kind("garbled-after", "garbled, but accepted", "Does it, answers half a JSON.", METHODS),
        lambda _: GarbleAfter(),
    ),
    (
        Kind("no-rich", "rich messages refused", "Refuses with 400.", (*RICH_METHODS, RICH_EDIT)),
        lambda _: Refuse(400, "Bad Request: can't parse rich message"),
    ),
    (
        Kind(
            "old-server",
            "old server",
            "Knows neither rich messages nor drafts: 404.",
            _NEWER_METHODS,
        ),
        lambda _: Refuse(404, "Not Found: method not found"),
    ),
    (
        Kind("no-drafts", "drafts refused", "Refuses with 400.", DRAFT_METHODS),
        lambda _: Refuse(400, "Bad Request: TEXTDRAFT_PEER_INVALID"),
    ),
    (
        Kind(
            "429-drafts",
            "429 for drafts",
            "Refuses drafts only, with retry_after.",
            DRAFT_METHODS,
            _seconds(3),
        ),
        _too_many,
    ),
    (
        Kind(
            "slow-file",
            "slow download",
            "Begins a download so many seconds late.",
            (DOWNLOAD,),
            _seconds(2),
        ),
        Stall,
    ),
    (
        Kind("big-file", "file too big", "Refuses to name a file's path.", ("getFile",)),
        lambda _: Refuse(400, "Bad Request: file is too big"),
    ),
]

_OTHERS = [
    Kind(
        AWAY,
        "connections refused",
        "Closes the port for so many seconds; 0 means until switched off.",
        (),
        _seconds(0),
        steady=True,
    ),
    Kind(
        REPEAT_UPDATE,
        "same update again",
        "Delivers a confirmed update once more, so many seconds later.",
        (UPDATE,),
        _seconds(1),
    ),
    Kind(
        REPEAT_MESSAGE,
        "same message again",
        "Delivers the message once more under a new update_id, so many seconds later.",
        (UPDATE,),
        _seconds(1),
    ),
    Kind(OUT_OF_ORDER, "batch out of order", "Shuffles the updates of one answer.", (POLL,)),
    Kind(
        DAY_LATE,
        "a day late",
        "Dates the message so many hours back.",
        (UPDATE,),
        Argument("hours", 24, 10_000),
    ),
    Kind(IDS_RESTART, "update ids restart", "Goes on from a random lower id.", (UPDATE,)),
]

KINDS = [*(kind for kind, _ in _CALLS), *_OTHERS]


class TelegramSwitches(Switches):
    """The switches of one Bot API stand-in."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(KINDS, seed)

    def faults_of_call(self, call: Call) -> list[Fault]:
        """What this call meets."""
        met = self.met(_CALLS, call.method)
        to_rich = call.method.lower() == "editmessagetext" and "rich_message" in call.params
        return self.met(_CALLS, RICH_EDIT) if to_rich and not met else met
