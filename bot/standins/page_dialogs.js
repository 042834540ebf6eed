// Two dialogs: whereto and as whose a message is forwarded, and who the person is.
import { make, shown } from "/chat/page_dom.js";

const CHANNEL = -1000000000777;

export class Dialogs {
  constructor({ chats, selected, onAct }) {
    this.chats = chats;
    this.selected = selected;
    this.onAct = onAct;
    this.forwarded = null;
    shown("forward").addEventListener("close", () => this.forward());
    shown("person").addEventListener("close", () => this.rename());
    shown("chat-edit").addEventListener("click", () => this.askPerson());
  }

  askForward(chat, line) {
    this.forwarded = { from_chat_id: chat.id, forwarded_id: line.message_id };
    const options = [...this.chats.values()].map(({ id, name }) => make("option", { value: id, textContent: name }));
    shown("forward-to").replaceChildren(...options);
    shown("forward-to").value = chat.id;
    shown("forward").returnValue = "";
    shown("forward").showModal();
  }

  forward() {
    if (shown("forward").returnValue !== "yes") return;
    const origin = originOf(shown("forward-as").value);
    this.onAct({ act: "forward", chat_id: Number(shown("forward-to").value), ...this.forwarded, ...origin });
  }

  askPerson() {
    const chat = this.chats.get(this.selected());
    shown("person-name").value = chat.name;
    shown("person-language").value = chat.language ?? "";
    shown("person").returnValue = "";
    shown("person").showModal();
  }

  rename() {
    if (shown("person").returnValue !== "yes") return;
    const language = shown("person-language").value.trim();
    const name = shown("person-name").value.trim();
    this.onAct({
      act: "introduce",
      ...(name ? { first_name: name } : {}),
      ...(language ? { language_code: language } : {}),
    });
  }
}

function originOf(choice) {
  const date = Math.floor(Date.now() / 1000);
  if (choice === "hidden") return { origin: { type: "hidden_user", date, sender_user_name: "Somebody" } };
  if (choice !== "channel") return {};
  const chat = { id: CHANNEL, type: "channel", title: "Daily news" };
  return { origin: { type: "channel", date, chat, message_id: 1 } };
}
