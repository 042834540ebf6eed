// The messages of the selected chat, and the line to write in.
import { paintAvatar } from "/chat/page_people.js";

const lines = document.getElementById("lines");
const form = document.getElementById("composer");
const box = document.getElementById("text");
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

const NEAR_END = 80; // pixels: who reads further up is not pulled down by a new message

export class Conversation {
  constructor({ onSend }) {
    this.onSend = onSend;
    this.typing = typingSign();
    this.typingTimer = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      }
    });
    box.addEventListener("input", fitBox);
    let following = true;
    lines.addEventListener("scroll", () => { following = atEnd(); });
    new ResizeObserver(() => following && toEnd()).observe(lines);
  }

  show(chat) {
    document.getElementById("chat-name").textContent = chat.name;
    document.getElementById("chat-id").textContent = `chat ${chat.id}`;
    paintAvatar(document.getElementById("chat-avatar"), chat);
    const all = [...chat.lines.values()];
    lines.replaceChildren(...(all.length > 0 ? all.map(bubble) : [welcome()]));
    this.showTyping(chat);
    toEnd();
  }

  add(chat, line) {
    const follow = atEnd() || !line.from_bot;
    lines.querySelector(".welcome")?.remove();
    this.typing.remove();
    lines.append(bubble(line));
    this.showTyping(chat);
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

  focus() {
    box.focus();
  }

  async send() {
    const text = box.value;
    if (text.trim() === "") return;
    box.value = "";
    fitBox();
    try {
      await this.onSend(text);
    } catch {
      if (box.value === "") box.value = text; // nothing typed is lost when the bot is away
      fitBox();
    }
  }
}

function bubble(line) {
  const item = document.createElement("li");
  item.className = `message ${line.from_bot ? "bot" : "person"}`;
  const text = document.createElement("span");
  text.dir = "auto";
  text.textContent = line.text;
  const stamp = document.createElement("small");
  const time = clock.format(new Date(line.date * 1000));
  const topic = line.thread_id ? `topic ${line.thread_id} · ` : "";
  stamp.textContent = `${topic}${line.edited ? "edited · " : ""}${time}`;
  item.append(text, stamp);
  return item;
}

function welcome() {
  const item = document.createElement("li");
  item.className = "welcome";
  const title = document.createElement("b");
  title.textContent = "Say it in pieces";
  item.append(title, "Send a few messages quickly, one after another. The bot waits until you have finished and answers them all at once.");
  return item;
}

function typingSign() {
  const item = document.createElement("li");
  item.className = "typing";
  item.setAttribute("aria-label", "the bot is typing");
  item.append(...[1, 2, 3].map(() => document.createElement("i")));
  return item;
}

function atEnd() {
  return lines.scrollHeight - lines.scrollTop - lines.clientHeight < NEAR_END;
}

function toEnd() {
  lines.scrollTop = lines.scrollHeight;
}

function fitBox() {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}
