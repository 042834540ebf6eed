// The line to write in: text, files, what is answered or edited, and the bot's commands.
import { asBase64, button, make, shown } from "/chat/page_dom.js";

const box = shown("text");
const form = shown("composer");

export class Composer {
  constructor({ onText, onAct, onMenu }) {
    this.onText = onText;
    this.onAct = onAct;
    this.onMenu = onMenu;
    this.about = null; // the message that is answered or edited
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      }
      if (event.key === "Escape") this.forget();
    });
    box.addEventListener("input", fitBox);
    shown("about-off").addEventListener("click", () => this.forget());
    shown("files").addEventListener("change", () => this.sendFiles());
    shown("attach").addEventListener("click", ({ target }) => this.attach(target.dataset.kind));
    shown("commands").addEventListener("toggle", () => shown("commands").open && this.showMenu());
    document.addEventListener("click", ({ target }) => {
      for (const popover of form.querySelectorAll("details[open]")) {
        if (!popover.contains(target)) popover.open = false;
      }
    });
  }

  focus() {
    box.focus();
  }

  reply(line, quote) {
    this.show({ line, quote, editing: false }, quote ?? line.text, "Reply to");
  }

  edit(line) {
    this.show({ line, editing: true }, line.text, "Edit");
    box.value = line.text;
    fitBox();
  }

  forget() {
    if (this.about?.editing) {
      box.value = "";
      fitBox();
    }
    this.about = null;
    shown("about").hidden = true;
  }

  show(about, text, what) {
    this.about = about;
    shown("about").hidden = false;
    shown("about-what").textContent = what;
    shown("about-text").textContent = text || "a message";
    box.focus();
  }

  manner() {
    if (this.about === null || this.about.editing) return {};
    const { line, quote } = this.about;
    return quote ? { reply_to: line.message_id, quote } : { reply_to: line.message_id };
  }

  async send() {
    const text = box.value;
    const about = this.about;
    if (text.trim() === "") return;
    const manner = this.manner();
    box.value = "";
    this.about = null;
    shown("about").hidden = true;
    fitBox();
    try {
      if (about?.editing) await this.onAct({ act: "edit", message_id: about.line.message_id, text });
      else await this.onText(text, manner);
    } catch {
      this.takeBack(text, about);
    }
  }

  takeBack(text, about) {
    if (box.value !== "" || this.about !== null) return;
    box.value = text; // nothing typed is lost when the process is away
    fitBox();
    this.about = about;
    shown("about").hidden = about === null;
  }

  attach(kind) {
    if (kind === undefined) return;
    shown("attach").open = false;
    const ready = {
      sticker: { act: "sticker", emoji: box.value.trim() || "👍" },
      location: { act: "location", latitude: 52.5163, longitude: 13.3777 },
      contact: { act: "contact", phone_number: "+49 30 123456", name: "Bruno" },
      poll: { act: "poll", question: box.value.trim() || "Tea or coffee?", options: ["Tea", "Coffee"] },
    };
    if (kind in ready) {
      this.act(ready[kind]);
      return;
    }
    const files = shown("files");
    files.dataset.kind = kind;
    files.accept = { photo: "image/png,image/jpeg", voice: "audio/*", video_note: "video/*" }[kind] ?? "";
    files.multiple = kind === "photo";
    files.click();
  }

  async sendFiles() {
    const files = shown("files");
    const chosen = [...files.files];
    if (chosen.length === 0) return;
    const contents = await Promise.all(chosen.map(asBase64));
    files.value = "";
    const [file] = chosen;
    const kind = files.dataset.kind;
    const caption = kind === "video_note" ? {} : { caption: box.value.trim() };
    const names = kind === "document" ? { name: file.name, mime_type: file.type || "application/octet-stream" } : {};
    const act = chosen.length > 1 ? { act: "album", pictures: contents } : { act: kind, data: contents[0] };
    await this.act({ ...act, ...names, ...caption });
  }

  async act(act) {
    try {
      await this.onAct({ ...act, ...this.manner() });
    } catch {
      return; // the notice says what went wrong
    }
    box.value = "";
    this.forget();
    fitBox();
  }

  async showMenu() {
    const list = shown("command-list");
    const menu = await this.onMenu();
    const why = menu ? "The bot has set no commands." : "The local process cannot be reached.";
    const none = make("p", { textContent: why });
    list.replaceChildren(...(menu?.length > 0 ? menu.map((each) => this.command(each)) : [none]));
  }

  command({ command, description }) {
    const entry = button("", () => {
      shown("commands").open = false;
      this.onText(`/${command}`, {}).catch(() => {}); // the notice says what went wrong
    });
    entry.append(make("b", { textContent: `/${command}` }), ` ${description}`);
    return entry;
  }
}

function fitBox() {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}
