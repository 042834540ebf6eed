// The connection to the local process: what happens comes in as events, requests go out.
const FIRST_PAUSE = 1000; // milliseconds
const LONGEST_PAUSE = 10_000;
const JSON_HEADERS = { "Content-Type": "application/json" };

export class Link {
  constructor({ onEvent, onLive }) {
    this.onEvent = onEvent;
    this.onLive = onLive;
    this.live = false;
    this.pause = FIRST_PAUSE;
    this.source = null;
  }

  open() {
    const source = new EventSource("/chat/events");
    source.onopen = () => {
      this.live = true;
      this.pause = FIRST_PAUSE;
      this.onLive(true);
    };
    source.onerror = () => this.lose();
    source.onmessage = ({ data }) => this.onEvent(JSON.parse(data));
    this.source = source;
  }

  lose() {
    if (this.source === null) return; // lost already
    this.source.close();
    this.source = null;
    this.live = false;
    this.onLive(false);
    setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  async read(path) {
    if (!this.live) return undefined;
    try {
      const { ok, text } = await this.call(path);
      return ok ? JSON.parse(text) : undefined;
    } catch {
      return undefined; // the page says that the connection is lost
    }
  }

  async post(path, body) {
    const { ok, text } = await this.call(path, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
    if (!ok) throw new Error(text);
    return JSON.parse(text);
  }

  async call(path, options) {
    try {
      const response = await fetch(path, options);
      return { ok: response.ok, text: await response.text() };
    } catch {
      this.lose();
      throw new Error("Not sent: the local process cannot be reached.");
    }
  }
}
