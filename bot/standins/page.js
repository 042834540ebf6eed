// Wires the page: what happens comes in as events, what the person does goes out as requests.
import { Composer } from "/chat/page_composer.js";
import { Conversation } from "/chat/page_conversation.js";
import { Dialogs } from "/chat/page_dialogs.js";
import { Panel } from "/chat/page_panel.js";
import { People } from "/chat/page_people.js";
import { Trouble } from "/chat/page_trouble.js";

const TYPING_SHOWN = 5000; // milliseconds, as in Telegram's clients

const chats = new Map();
let selected = null;

const people = new People({ onSelect: select, onNew: openChat });
const composer = new Composer({ onText: write, onAct: act, onMenu: readMenu });
const dialogs = new Dialogs({ chats, selected: () => selected, onAct: attempt });
const conversation = new Conversation({
  onCommand: (text) => write(text, {}),
  onReply: (line, quote) => composer.reply(line, quote),
  onEdit: (line) => composer.edit(line),
  onForward: (line) => dialogs.askForward(chats.get(selected), line),
  onPress: ({ message_id }, data) => attempt({ act: "press", message_id, data }),
  onStop: () => attempt({ act: "stop_draft" }),
});
const panel = new Panel({ chat: () => selected, onPace: (pace) => post("/chat/model", pace) });
const trouble = new Trouble({ onWish: (wish) => post("/chat/faults", wish) });

const happened = {
  snapshot({ chats: all }) {
    chats.clear();
    for (const { chat_id, name, language, draft, lines } of all) {
      const chat = Object.assign(meet(chat_id, name), { language, draft });
      for (const line of lines) chat.lines.set(line.message_id, line);
    }
    const wanted = [selected, Number(sessionStorage.getItem("chat"))];
    select(wanted.find((id) => chats.has(id)) ?? chats.keys().next().value);
  },
  chat(chat, { language }) {
    chat.language = language ?? chat.language;
    if (chat.id === selected) conversation.show(chat);
  },
  message(chat, line) {
    chat.lines.set(line.message_id, line);
    if (line.from_bot) Object.assign(chat, { typingUntil: 0, draft: null });
    if (line.from_bot && chat.id !== selected) chat.unread += 1;
    if (chat.id === selected) conversation.add(chat, line);
  },
  edit(chat, line) {
    chat.lines.set(line.message_id, line);
    if (chat.id === selected) conversation.show(chat);
  },
  delete(chat, { message_id }) {
    chat.lines.delete(message_id);
    if (chat.id === selected) conversation.show(chat);
  },
  action(chat) {
    chat.typingUntil = performance.now() + TYPING_SHOWN;
    if (chat.id === selected) conversation.showTyping(chat);
  },
  draft(chat, { draft }) {
    chat.draft = draft;
    if (chat.id === selected) conversation.showDraft(chat);
  },
  notice(chat, { text, alert }) {
    if (chat.id === selected) conversation.notice(text, alert);
  },
};

function meet(id, name) {
  if (!chats.has(id)) chats.set(id, { id, lines: new Map(), unread: 0, typingUntil: 0, draft: null });
  const chat = chats.get(id);
  chat.name = name;
  return chat;
}

function select(id) {
  if (id !== selected) composer.forget();
  selected = id;
  sessionStorage.setItem("chat", id);
  chats.get(id).unread = 0;
  people.show(chats, selected);
  conversation.show(chats.get(id));
  panel.refresh();
}

async function openChat() {
  const { chat_id, name } = await post("/chat/chats", {});
  meet(chat_id, name);
  select(chat_id);
  composer.focus();
}

function write(text, manner) {
  return post("/chat/messages", { chat_id: selected, text, ...manner });
}

async function act(wish) {
  try {
    return await post("/chat/acts", { chat_id: selected, ...wish });
  } catch (error) {
    conversation.notice(error.message, true);
    throw error;
  }
}

function attempt(wish) {
  return act(wish).catch(() => null); // the notice says what went wrong
}

async function readMenu() {
  const response = await fetch(`/chat/menu?chat_id=${selected}`);
  return response.ok ? response.json() : [];
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function listen() {
  const source = new EventSource("/chat/events");
  source.onopen = () => people.showConnection(true);
  source.onerror = () => people.showConnection(false);
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === "snapshot") {
      happened.snapshot(event);
    } else {
      happened[event.kind](meet(event.chat_id, event.name), event);
      people.show(chats, selected);
    }
  };
}

listen();
panel.start();
trouble.start();
