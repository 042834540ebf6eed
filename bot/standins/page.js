// Wires the page: what happens comes in as events, what the person does goes out as requests.
import { Composer } from "/chat/page_composer.js";
import { Conversation } from "/chat/page_conversation.js";
import { Dialogs } from "/chat/page_dialogs.js";
import { Link } from "/chat/page_link.js";
import { Panel } from "/chat/page_panel.js";
import { People } from "/chat/page_people.js";
import { Trouble } from "/chat/page_trouble.js";

const TYPING_SHOWN = 5000; // milliseconds, as in Telegram's clients

const chats = new Map();
let selected = null;

const link = new Link({ onEvent: happen, onLive: showLive });
const people = new People({ onSelect: select, onNew: () => attempt(openChat()) });
const composer = new Composer({
  onText: write,
  onAct: act,
  onMenu: () => link.read(`/chat/menu?chat_id=${selected}`),
});
const dialogs = new Dialogs({ chats, selected: () => selected, onAct: (wish) => attempt(act(wish)) });
const conversation = new Conversation({
  onCommand: (text) => attempt(write(text, {})),
  onReply: (line, quote) => composer.reply(line, quote),
  onEdit: (line) => composer.edit(line),
  onForward: (line) => dialogs.askForward(chats.get(selected), line),
  onPress: ({ message_id }, data) => attempt(act({ act: "press", message_id, data })),
  onStop: () => attempt(act({ act: "stop_draft" })),
});
const panel = new Panel({
  chat: () => selected,
  read: (path) => link.read(path),
  onState: (state) => conversation.showWelcome(chats.get(selected), state?.inbound_seq > 0),
  onPace: (pace) => attempt(post("/chat/model", pace)),
});
const trouble = new Trouble({
  read: () => link.read("/chat/faults"),
  onWish: (wish) => attempt(post("/chat/faults", wish)),
});

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

function act(wish) {
  return post("/chat/acts", { chat_id: selected, ...wish });
}

async function post(path, body) {
  try {
    return await link.post(path, body);
  } catch (error) {
    conversation.notice(error.message, true, !link.live);
    throw error;
  }
}

function attempt(asked) {
  return asked.catch(() => null); // the notice says what went wrong
}

function happen(event) {
  if (event.kind === "snapshot") {
    happened.snapshot(event);
  } else {
    happened[event.kind](meet(event.chat_id, event.name), event);
    people.show(chats, selected);
  }
}

function showLive(live) {
  people.showConnection(live);
  panel.showLive(live);
  if (live) trouble.refresh();
  else for (const chat of chats.values()) silence(chat);
}

function silence(chat) {
  happened.draft(chat, { draft: null });
  chat.typingUntil = 0;
  if (chat.id === selected) conversation.showTyping(chat);
}

link.open();
panel.start();
trouble.start();
