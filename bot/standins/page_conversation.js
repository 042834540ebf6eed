// The messages of the selected chat.
import { bubble, draftBubble } from "/chat/page_bubble.js";
import { make, shown } from "/chat/page_dom.js";
import { photoElement } from "/chat/page_media.js";
import { paintAvatar } from "/chat/page_people.js";

const lines = shown("lines");

const NEAR_END = 80; // pixels: who reads further up is not pulled down by a new message
const NOTICE_SHOWN = 4000; // milliseconds

export class Conversation {
  constructor(acts) {
    this.acts = acts;
    this.typing = typingSign();
    this.typingTimer = 0;
    this.noticeTimer = 0;
    this.draft = null;
    lines.addEventListener("click", ({ target }) => {
      const command = target.closest("button.command");
      if (command) this.acts.onCommand(command.value);
    });
    let following = true;
    lines.addEventListener("scroll", () => { following = atEnd(); });
    new ResizeObserver(() => following && toEnd()).observe(lines);
  }

  show(chat) {
    shown("chat-name").textContent = chat.name;
    shown("chat-id").textContent = `chat ${chat.id}${chat.language ? `, ${chat.language}` : ""}`;
    paintAvatar(shown("chat-avatar"), chat);
    shown("notice").hidden = true;
    lines.replaceChildren();
    for (const line of chat.lines.values()) this.place(line);
    this.showWelcome(chat);
    this.showDraft(chat);
    this.showTyping(chat);
    toEnd();
  }

  add(chat, line) {
    const follow = atEnd() || !line.from_bot;
    lines.querySelector(".welcome")?.remove();
    this.typing.remove();
    this.draft?.remove();
    this.place(line);
    this.showDraft(chat);
    this.showTyping(chat);
    if (follow) toEnd();
  }

  place(line) {
    const last = lines.lastElementChild;
    if (line.album && last?.dataset.album === line.album) {
      last.querySelector(".photos").append(photoElement(line.media));
      return;
    }
    lines.append(bubble(line, this.acts));
  }

  showWelcome(chat, hasPast = false) {
    const shows = lines.querySelector(".welcome");
    if (chat.lines.size > 0 || (shows && shows.classList.contains("back") === hasPast)) return;
    shows?.remove();
    lines.prepend(hasPast ? welcomeBack() : welcome());
  }

  showDraft(chat) {
    const follow = atEnd();
    this.draft?.remove();
    this.draft = chat.draft ? draftBubble(chat.draft, this.acts.onStop) : null;
    if (this.draft) lines.append(this.draft);
    if (follow) toEnd();
  }

  showTyping(chat) {
    clearTimeout(this.typingTimer);
    const left = chat.typingUntil - performance.now();
    if (left <= 0) {
      this.typing.remove();
      return;
    }
    const follow = atEnd();
    lines.append(this.typing);
    if (follow) toEnd();
    this.typingTimer = setTimeout(() => this.typing.remove(), left);
  }

  notice(text, alert, stays = false) {
    if (text === "") return;
    clearTimeout(this.noticeTimer);
    const place = shown("notice");
    place.textContent = text;
    place.classList.toggle("alert", alert);
    place.hidden = false;
    if (!stays) this.noticeTimer = setTimeout(() => { place.hidden = true; }, NOTICE_SHOWN);
  }
}

function welcome() {
  const title = make("b", { textContent: "Say it in pieces" });
  const text = "Send a few messages quickly, one after another. The bot waits until you have finished and answers them all at once.";
  return make("li", { className: "welcome" }, title, text);
}

function welcomeBack() {
  const text = "Earlier messages are not shown: this page forgets them when the process restarts.";
  return make("li", { className: "welcome back", textContent: text });
}

function typingSign() {
  const item = make("li", { className: "typing" }, ...[1, 2, 3].map(() => make("i")));
  item.setAttribute("aria-label", "the bot is typing");
  return item;
}

function atEnd() {
  return lines.scrollHeight - lines.scrollTop - lines.clientHeight < NEAR_END;
}

function toEnd() {
  lines.scrollTop = lines.scrollHeight;
}
