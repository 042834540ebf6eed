"""What somebody sees who chats in the browser."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from bot.standins.pictures import blank_png
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from tests.support.chromium import (
    CHROMIUM,
    HANG_SECONDS,
    MISSING,
    page_at,
    page_in_chromium,
    page_served,
)
from tests.support.facts import assert_guarantees
from tests.support.neighbours import Neighbours, running_bot
from tests.support.whole_bursts import HELD_OPEN, close_whole

pytestmark = [
    pytest.mark.skipif(not CHROMIUM.exists(), reason=MISSING),
    pytest.mark.xdist_group("chromium"),
]

REPLIES = ".message.bot:not(.draft)"
TRIED_AGAIN = re.compile(r"tried again in \d+\.\d s$")
DRAFT_WITH_WORDS = ".message.draft:not(:has(.thinking))"

expect.set_options(timeout=1000 * HANG_SECONDS)


async def write(page: Page, *texts: str) -> None:
    for text in texts:
        await page.get_by_label("Message", exact=True).fill(text)
        await page.keyboard.press("Enter")


async def choose(message: Locator, what: str) -> None:
    await message.hover()
    await message.get_by_label("What to do with this message").click()
    await message.get_by_role("button", name=what, exact=True).click()


async def attach_photo(page: Page, picture: Path) -> None:
    await page.get_by_label("Attach", exact=True).click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Photos", exact=True).click()
    await (await chooser.value).set_files(picture)


async def reply_with(page: Page, picture: Path) -> None:
    """Reply to the answer with a picture."""
    await choose(page.locator(REPLIES), "Reply")
    await expect(page.locator("#about")).to_be_visible()
    await page.get_by_label("Message", exact=True).fill("Look at this")
    await attach_photo(page, picture)


async def width_of(page: Page) -> int:
    """How wide the page would have to be to show everything."""
    return int(await page.evaluate("document.documentElement.scrollWidth"))


async def test_a_chat_in_the_browser(around: Neighbours, db: Database, tmp_path: Path) -> None:
    picture = tmp_path / "grey.png"
    picture.write_bytes(blank_png(300, 200))
    around.model.delay, around.model.per_word = 0.5, 0.5
    async with (
        running_bot(around.settings(**HELD_OPEN)),
        page_in_chromium(around, db, 1280, 800) as page,
    ):
        await write(page, "Hello", "Is anybody there?")
        await close_whole(around.database_url)
        await expect(page.locator(DRAFT_WITH_WORDS)).to_be_visible()
        await page.screenshot(path=tmp_path / "draft.png")
        await expect(page.locator(REPLIES)).to_contain_text("anybody there")
        await expect(page.locator(".message.draft")).to_have_count(0)

        await choose(page.locator(".message.person").first, "Edit")
        await write(page, "Good morning")
        first = page.locator(".message.person").first
        await expect(first).to_contain_text("Good morning")
        await expect(first).to_contain_text("edited")

        around.model.per_word = 0
        await reply_with(page, picture)
        sent = page.locator(".message.person").last
        await expect(sent).to_contain_text("Look at this")
        await expect(sent.locator(".cite")).to_contain_text("Thank you, I read all of it")
        await expect(sent.get_by_role("img")).to_have_js_property("naturalWidth", 300)
        await close_whole(around.database_url, 1)
        await expect(page.locator(REPLIES)).to_have_count(2)
        await expect(page.locator(REPLIES).last).to_contain_text("300x200")
        await expect(page.locator("#unanswered")).to_have_text("0")
        await page.screenshot(path=tmp_path / "chat.png")
        assert await width_of(page) <= 1280
    assert len(around.seen_by(1001)) == 2
    await assert_guarantees(db)


async def test_a_chat_on_a_phone(around: Neighbours, db: Database, tmp_path: Path) -> None:
    async with (
        running_bot(around.settings(**HELD_OPEN)),
        page_in_chromium(around, db, 390, 844) as page,
    ):
        await write(page, "A long word: " + 100 * "x", "https://example.org/" + 80 * "y")
        await close_whole(around.database_url)
        await expect(page.locator(REPLIES)).to_have_count(1)
        await expect(page.locator(REPLIES)).to_be_in_viewport()
        await page.screenshot(path=tmp_path / "phone.png")
        assert await width_of(page) <= 390
        await page.get_by_role("button", name="State").click()
        await expect(page.locator("#panel")).to_be_in_viewport()
        await expect(page.locator("#unanswered")).to_have_text("0")
        await page.screenshot(path=tmp_path / "state.png")
        assert await width_of(page) <= 390
    assert len(around.seen_by(1001)) == 1
    await assert_guarantees(db)


async def test_the_process_goes_away_and_comes_back(
    around: Neighbours, db: Database, tmp_path: Path
) -> None:
    around.model.delay = 60
    async with (
        running_bot(around.settings()),
        page_served(around, db) as server,
        page_at(server, 1280, 800) as (page, wrong),
    ):
        await write(page, "Hello")
        await expect(page.locator(".message.draft")).to_be_visible()
        await expect(page.locator("#lease-facts")).to_be_visible()
        await server.stop()
        await expect(page.locator("#connection")).to_contain_text("lost")
        await expect(page.locator(".message.draft")).to_have_count(0)
        await expect(page.locator("#panel-old")).to_be_visible()
        await choose(page.locator(".message.person"), "Reply")
        await write(page, "Is anybody there?")
        await expect(page.locator("#notice")).to_contain_text("Not sent")
        await expect(page.get_by_label("Message", exact=True)).to_have_value("Is anybody there?")
        await expect(page.locator("#about")).to_be_visible()
        await asyncio.sleep(5)
        await expect(page.locator("#notice")).to_be_visible()
        await page.screenshot(path=tmp_path / "away.png")
        # The event stream, what was being asked, the message, and a few attempts to come back.
        assert len(wrong) <= 10, wrong
        assert all("net::" in each for each in wrong), wrong

        await server.start()
        await expect(page.locator("#connection")).to_have_text("live")
        await expect(page.locator("#notice")).to_be_hidden()
        await expect(page.locator("#panel-old")).to_be_hidden()
        await page.get_by_label("Message", exact=True).press("Enter")
        await expect(page.locator(".message.person .cite")).to_contain_text("Hello")
        await expect(page.locator("#inbound")).to_have_text("2")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (375, 700)])
async def test_a_reply_to_a_long_message(
    around: Neighbours, db: Database, tmp_path: Path, width: int, height: int
) -> None:
    async with page_in_chromium(around, db, width, height) as page:
        await write(page, "It was a long day.\nThere is much to tell of it. " * 8)
        await choose(page.locator(".message.person"), "Reply")
        await page.screenshot(path=tmp_path / "reply.png")
        about = await page.locator("#about").bounding_box()
        composer = await page.locator("#composer").bounding_box()
        assert about is not None
        assert composer is not None
        assert about["x"] + about["width"] <= composer["x"] + composer["width"]
        assert about["height"] < 40
        assert await width_of(page) <= width
        await page.get_by_label("Leave it").click()
        await expect(page.locator("#about")).to_be_hidden()


async def test_the_selected_chat_is_in_view_on_a_phone(
    around: Neighbours, db: Database, tmp_path: Path
) -> None:
    async with page_in_chromium(around, db, 375, 700) as page:
        chats = page.locator("#chats button")
        for count in range(2, 6):
            await page.get_by_role("button", name="New chat").click()
            await expect(chats).to_have_count(count)
        await expect(page.locator("#chat-name")).to_have_text("Emre")
        await page.screenshot(path=tmp_path / "chats.png")
        await expect(page.locator("#chats [aria-current]")).to_be_in_viewport(ratio=1)
        assert await width_of(page) <= 375


async def test_a_postponed_answer(around: Neighbours, db: Database, tmp_path: Path) -> None:
    around.model.switches.on("429", 8)
    async with (
        running_bot(around.settings(debounce_cap_seconds=1)),
        page_in_chromium(around, db, 1280, 800) as page,
    ):
        await write(page, "Hello")
        await expect(page.locator("#run-text")).to_contain_text("postponed")
        await expect(page.locator("#window-text")).to_contain_text(TRIED_AGAIN)
        await page.screenshot(path=tmp_path / "postponed.png")


async def test_a_page_that_has_forgotten_says_so(
    around: Neighbours, db: Database, tmp_path: Path
) -> None:
    async with running_bot(around.settings()):
        around.telegram.say(1001, "Hello")
        await around.telegram.wait_for_reply(1001)
    anew = replace(around, telegram=TelegramStandIn())
    async with page_in_chromium(anew, db, 1280, 800) as page:
        await expect(page.locator(".welcome")).to_contain_text("Earlier messages are not shown")
        await page.screenshot(path=tmp_path / "forgotten.png")
        await page.get_by_role("button", name="New chat").click()
        await expect(page.locator(".welcome")).to_contain_text("Say it in pieces")
        await page.locator("#chats button").first.click()
        await expect(page.locator(".welcome")).to_contain_text("Earlier messages are not shown")
        await write(page, "Hello again")
        await expect(page.locator(".message.person")).to_have_count(1)
        await expect(page.locator(".welcome")).to_have_count(0)


async def test_a_notice_on_a_phone(around: Neighbours, db: Database, tmp_path: Path) -> None:
    async with page_served(around, db) as server, page_at(server, 375, 700) as (page, _):
        await expect(page.locator("#chat-name")).to_have_text("Ada")
        await server.stop()
        await write(page, "Hello")
        await expect(page.locator("#notice")).to_be_in_viewport(ratio=1)
        await page.screenshot(path=tmp_path / "notice.png")
        lines = await page.locator("#lines").bounding_box()
        assert lines is not None
        assert lines["width"] == 375
