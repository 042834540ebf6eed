// The list of chats.
const list = document.getElementById("chats");
const connection = document.getElementById("connection");

export function paintAvatar(element, chat) {
  element.className = "avatar";
  element.style.setProperty("--hue", String((chat.id * 137) % 360));
  element.textContent = [...chat.name][0] ?? "?";
}

export class People {
  constructor({ onSelect, onNew }) {
    this.onSelect = onSelect;
    this.buttons = new Map();
    this.selected = null;
    document.getElementById("new-chat").addEventListener("click", onNew);
  }

  show(chats, selected) {
    for (const [id, button] of this.buttons) {
      if (!chats.has(id)) {
        button.parentElement.remove();
        this.buttons.delete(id);
      }
    }
    for (const chat of chats.values()) {
      if (!this.buttons.has(chat.id)) this.add(chat);
      paintButton(this.buttons.get(chat.id), chat, chat.id === selected);
    }
    if (selected === this.selected) return; // who looks through the list is not pulled back
    this.selected = selected;
    this.buttons.get(selected)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  add({ id }) {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => this.onSelect(id));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
    this.buttons.set(id, button);
  }

  showConnection(live) {
    connection.textContent = live ? "live" : "connection lost, trying again…";
    connection.classList.toggle("live", live);
  }
}

function paintButton(button, chat, current) {
  const avatar = document.createElement("span");
  paintAvatar(avatar, chat);
  avatar.setAttribute("aria-hidden", "true");
  const who = document.createElement("span");
  who.className = "who";
  const name = document.createElement("b");
  name.textContent = chat.name;
  const latest = document.createElement("span");
  latest.textContent = latestLine(chat);
  who.append(name, latest);
  button.replaceChildren(avatar, who);
  if (chat.unread > 0) {
    const unread = document.createElement("span");
    unread.className = "unread";
    unread.textContent = String(chat.unread);
    unread.setAttribute("aria-label", `${chat.unread} new`);
    button.append(unread);
  }
  button.toggleAttribute("aria-current", current);
}

function latestLine(chat) {
  const line = [...chat.lines.values()].at(-1);
  if (line === undefined) return "no messages yet";
  const text = line.text || line.media?.kind.replace("_", " ") || "";
  return line.from_bot ? text : `You: ${text}`;
}
