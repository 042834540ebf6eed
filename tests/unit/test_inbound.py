"""What the messages of Telegram say, in words for the model."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiogram.types import Message

from bot.inbound.files import LARGEST_BYTES
from bot.inbound.message import inbound, said
from storage.records import Attachment
from tests.badinput.kinds import PERSON, WHEN, private_message

BOT = {"id": 4242, "is_bot": True, "first_name": "Onereply"}
CHANNEL = {"id": -1001, "type": "channel", "title": "Daily News"}
SPOT = {"latitude": 52.5, "longitude": 13.4}
FILE = {"file_id": "f", "file_unique_id": "u"}
LONG = timedelta(seconds=5)


def message(**content: object) -> Message:
    return Message.model_validate(private_message(**content))


def before(author: dict[str, Any], text: str) -> dict[str, Any]:
    return {**private_message(text=text), "from": author, "message_id": 6}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"text": "  as it\nwas written "}, "  as it\nwas written "),
        ({"sticker": {**FILE, "type": "regular", "width": 1, "height": 1, "is_animated": False,
                      "is_video": False, "emoji": "🐢"}}, "[sent a sticker: 🐢]"),
        ({"contact": {"phone_number": "+49 30 1", "first_name": "Bob", "last_name": "Ray"}},
         "[sent a contact: Bob Ray, +49 30 1]"),
        ({"location": SPOT}, "[sent a location: latitude 52.5, longitude 13.4]"),
        ({"venue": {"location": SPOT, "title": "Café", "address": "Main St 1"}, "location": SPOT},
         "[sent a venue: Café, Main St 1, latitude 52.5, longitude 13.4]"),
        ({"dice": {"emoji": "🎲", "value": 3}}, "[sent a dice: 🎲 showing 3]"),
        ({"voice": {**FILE, "duration": 7}}, "[sent a voice message of 7 s]"),
        ({"video_note": {**FILE, "duration": 7, "length": 1}}, "[sent a video note of 7 s]"),
        ({"audio": {**FILE, "duration": 200, "title": "Song"}, "caption": "listen"},
         "[sent an audio of 200 s: Song] listen"),
        ({"video": {**FILE, "duration": 3, "width": 1, "height": 1, "file_name": "a.mp4",
                    "file_size": 12_345}}, "[sent a video of 3 s: a.mp4, 12.3 KB]"),
        ({"document": {**FILE, "file_name": "a.pdf", "mime_type": "application/pdf",
                       "file_size": 1_234_567}},
         "[sent a document: a.pdf, application/pdf, 1.23 MB]"),
        ({"checklist": {"title": "Trip", "tasks": [
            {"id": 1, "text": "Pack"}, {"id": 2, "text": "Pay", "completion_date": WHEN}]}},
         "[sent a checklist: Trip; to do: Pack; done: Pay]"),
        ({"giveaway": {"chats": [CHANNEL], "winners_selection_date": WHEN, "winner_count": 1}},
         "[sent a giveaway]"),
        ({"from_the_future": {"x": 1}}, "[sent something I cannot read]"),
    ],
)  # fmt: skip
def test_words_for_each_kind(content: dict[str, object], words: str) -> None:
    assert said(message(**content)) == words


def test_a_poll_has_its_question_and_options() -> None:
    options = [{"persistent_id": n, "text": n, "voter_count": 0} for n in ("red", "blue")]
    poll = {"id": "1", "question": "Which?", "options": options, "total_voter_count": 0}
    flags = ("is_closed", "is_anonymous", "allows_multiple_answers", "allows_revoting")
    poll |= dict.fromkeys((*flags, "members_only"), False) | {"type": "regular"}
    assert said(message(poll=poll)) == "[sent a poll: “Which?” Options: “red”, “blue”]"


@pytest.mark.parametrize(
    ("author", "name"), [(PERSON, "the user"), (BOT, "you, the assistant")], ids=["own", "bot's"]
)
def test_a_reply_names_what_it_answers(author: dict[str, Any], name: str) -> None:
    words = said(message(text="no", reply_to_message=before(author, "Is it red?")))
    assert words == f"[In reply to: “Is it red?” (written by {name})]\nno"


def test_of_a_long_message_that_is_answered_the_beginning_is_shown() -> None:
    words = said(message(text="no", reply_to_message=before(BOT, "x" * 301)))
    assert words == f"[In reply to: “{'x' * 299}…” (written by you, the assistant)]\nno"


def test_of_a_quote_only_the_quoted_part_is_shown() -> None:
    quote = {"text": "red", "position": 6}
    words = said(message(text="no", reply_to_message=before(BOT, "Is it red?"), quote=quote))
    assert words == "[In reply to: “red” (written by you, the assistant)]\nno"


def test_a_reply_to_another_chat_names_its_origin() -> None:
    origin = {"type": "channel", "date": WHEN, "chat": CHANNEL, "message_id": 3}
    content = {"external_reply": {"origin": origin}, "quote": {"text": "rain", "position": 0}}
    words = said(message(text="true?", **content))
    assert words == "[In reply to: “rain” (written by the channel Daily News)]\ntrue?"


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"type": "user", "sender_user": {**PERSON, "last_name": "Ray"}}, "Ada Ray"),
        ({"type": "hidden_user", "sender_user_name": "Somebody"}, "Somebody"),
        ({"type": "chat", "sender_chat": {**CHANNEL, "type": "group"}}, "the chat Daily News"),
        ({"type": "channel", "chat": CHANNEL, "message_id": 1}, "the channel Daily News"),
    ],
)
def test_a_forward_names_its_origin(origin: dict[str, Any], name: str) -> None:
    came = message(text="look", forward_origin={**origin, "date": WHEN})
    assert said(came) == f"[Forwarded from {name}]\nlook"


def test_what_postgresql_refuses_is_replaced_also_in_names() -> None:
    came = inbound(message(document={**FILE, "file_name": "a\0.txt", "mime_type": "x\ud83d"}))
    assert came
    assert came.text == "[sent a document: a\ufffd.txt, x\ufffd]"
    assert came.attachments == (Attachment("document", "f", None, "x\ufffd", "a\ufffd.txt"),)


def test_the_largest_photo_that_may_be_fetched_is_the_one() -> None:
    sizes = [
        {**FILE, "file_id": name, "width": width, "height": 10, "file_size": size}
        for name, width, size in [("s", 1, 9), ("l", 100, LARGEST_BYTES), ("xl", 200, 20_000_001)]
    ]
    came = inbound(message(photo=sizes))
    assert came
    assert [each.file_id for each in came.attachments] == ["l"]


def test_a_live_photo_is_seen_as_a_photo() -> None:
    still = {**FILE, "file_id": "still", "width": 1, "height": 1}
    live = {**FILE, "duration": 1, "width": 1, "height": 1, "photo": [still]}
    came = inbound(message(live_photo=live, photo=[still]))
    assert came
    assert came.text == "[sent a live photo of 1 s]"
    assert [(each.kind, each.file_id) for each in came.attachments] == [("photo", "still")]


@pytest.mark.parametrize("kind", ["audio", "video"])
def test_music_and_films_come_along_as_what_cannot_be_opened(kind: str) -> None:
    came = inbound(message(**{kind: {**FILE, "duration": 1, "width": 1, "height": 1}}))
    assert came
    assert [each.kind for each in came.attachments] == [kind]


@pytest.mark.parametrize(
    ("content", "quiet"),
    [
        ({"text": "x" * 3999}, timedelta(0)),
        ({"text": "x" * 4000}, LONG),
        ({"text": "🐢" * 2000}, LONG),
        ({"photo": [{**FILE, "width": 1, "height": 1}], "media_group_id": "7"}, LONG),
        ({"text": "look", "forward_origin": {
            "type": "hidden_user", "sender_user_name": "S", "date": WHEN}}, LONG),
    ],
    ids=["short", "long", "long in UTF-16", "album", "forward"],
)  # fmt: skip
def test_what_seldom_comes_alone_is_waited_for_longer(
    content: dict[str, object], quiet: timedelta
) -> None:
    came = inbound(message(**content), LONG)
    assert came
    assert came.quiet == quiet
    assert came.sent_at == datetime.fromtimestamp(WHEN, UTC)


@pytest.mark.parametrize("content", [{"text": ""}, {"pinned_message": before(PERSON, "pinned")}])
def test_notices_of_the_service_say_nothing(content: dict[str, object]) -> None:
    assert inbound(message(**content)) is None
