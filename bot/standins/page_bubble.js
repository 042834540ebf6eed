// One message of a chat, or the draft of one.
import { button, link, make } from "/chat/page_dom.js";
import { marked } from "/chat/page_marks.js";
import { mediaElement } from "/chat/page_media.js";
import { richElement } from "/chat/page_rich.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

export function bubble(line, { onReply, onForward, onEdit, onPress }) {
  const item = make("li", { className: `message ${line.from_bot ? "bot" : "person"}` });
  item.dataset.message = line.message_id;
  if (line.forwarded) item.append(make("div", { className: "origin", textContent: `Forwarded from ${line.forwarded}` }));
  if (line.reply) item.append(replied(line.reply));
  if (line.media) item.append(media(item, line));
  item.append(words(line), stamp(line));
  if (line.buttons) item.append(keyboard(line, onPress));
  const actions = [button("Reply", () => onReply(line, quoteIn(item, line))), button("Forward", () => onForward(line))];
  if (!line.from_bot) actions.push(button("Edit", () => onEdit(line)));
  item.append(menu(item, actions));
  return item;
}

export function draftBubble(draft, onStop) {
  const item = make("li", { className: "message bot draft" });
  item.setAttribute("aria-label", "the bot is writing");
  if (draft.text.trim() === "") item.append(make("span", { className: "thinking", textContent: "Thinking…" }));
  else item.append(words(draft));
  if (draft.can_stop) item.append(button("Stop", onStop, { className: "stop" }));
  return item;
}

function words({ text, rich, entities }) {
  if (rich) return richElement(rich);
  return make("span", { className: "words", dir: "auto" }, marked(text, entities));
}

function media(item, line) {
  const element = mediaElement(line.media);
  if (!line.album) return element;
  item.dataset.album = line.album;
  return make("div", { className: "photos" }, element);
}

function replied({ message_id, from_bot, text, quoted }) {
  const who = make("b", { textContent: from_bot ? "Bot" : "You" });
  const cite = make("a", { className: "cite", href: `#${message_id}` }, who, quoted ? `“${text}”` : text || "a message");
  cite.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(`[data-message="${message_id}"]`)?.scrollIntoView({ block: "center" });
  });
  return cite;
}

function stamp(line) {
  const topic = line.thread_id ? `topic ${line.thread_id} · ` : "";
  const time = clock.format(new Date(line.date * 1000));
  return make("small", { textContent: `${topic}${line.edited ? "edited · " : ""}${time}` });
}

function keyboard(line, onPress) {
  const rows = line.buttons.map((row) => make("div", {}, ...row.map((each) => key(line, each, onPress))));
  return make("div", { className: "keyboard" }, ...rows);
}

function key(line, { text, url, callback_data: data }, onPress) {
  if (url) return link(String(url), text);
  return button(text, () => onPress(line, data), { disabled: data === undefined });
}

function menu(item, actions) {
  const toggle = button("⋯", () => {
    item.classList.toggle("open");
    item.scrollIntoView({ block: "nearest" });
  }, { className: "more" });
  toggle.setAttribute("aria-label", "What to do with this message");
  for (const action of actions) action.addEventListener("click", () => item.classList.remove("open"));
  const all = make("span", { className: "actions" }, toggle, make("span", { className: "choices" }, ...actions));
  all.addEventListener("mousedown", (event) => event.preventDefault()); // what is selected becomes a quote
  return all;
}

function quoteIn(item, line) {
  const selection = getSelection();
  const chosen = String(selection).trim();
  const inside = chosen !== "" && item.contains(selection.anchorNode) && item.contains(selection.focusNode);
  return inside && line.text.includes(chosen) ? chosen : null;
}
