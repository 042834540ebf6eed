// What the bot's database says about the selected chat, and how slow its model is.
import { shown } from "/chat/page_dom.js";

const POLL = 250; // milliseconds

const seconds = (value) => `${Math.max(0, value).toFixed(1)} s`;

export class Panel {
  constructor({ chat, onPace }) {
    this.chat = chat;
    this.onPace = onPace;
    this.window = null;
    this.readAt = 0;
    const toggle = shown("panel-toggle");
    toggle.addEventListener("click", () => {
      const open = shown("panel").classList.toggle("shown");
      toggle.setAttribute("aria-expanded", String(open));
    });
  }

  async start() {
    setInterval(() => document.visibilityState === "visible" && this.refresh(), POLL);
    const move = () => {
      this.drawWindow();
      requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
    await this.startPace();
  }

  async refresh() {
    const chat = this.chat();
    if (chat === null || this.asking === chat) return;
    this.asking = chat;
    try {
      const response = await fetch(`/chat/state?chat_id=${chat}&thread_id=0`);
      if (response.ok && chat === this.chat()) this.draw(await response.json());
    } catch {
      // the connection line says that the bot is away
    } finally {
      this.asking = null;
    }
  }

  draw(state) {
    drawCounters(state);
    drawLease(state?.lease);
    drawRun(state?.run);
    this.window = state?.window ?? null;
    this.readAt = performance.now();
  }

  drawWindow() {
    const open = this.window;
    const passed = (performance.now() - this.readAt) / 1000;
    shown("track").classList.toggle("open", open !== null);
    shown("bar-ends").style.visibility = open === null ? "hidden" : "visible";
    if (open === null) {
      shown("elapsed").style.transform = "scaleX(0)";
      shown("window-text").textContent = "none open";
      return;
    }
    const whole = Math.max(open.opened_ago + open.cap_in, 0.001);
    const share = (value) => Math.min(1, Math.max(0, value / whole));
    shown("elapsed").style.transform = `scaleX(${share(open.opened_ago + passed)})`;
    shown("close-mark").style.left = `${100 * share(open.opened_ago + open.closes_in)}%`;
    const left = open.closes_in - passed;
    shown("window-text").textContent =
      left > 0 ? `closes in ${seconds(left)}, at the latest in ${seconds(open.cap_in - passed)}` : "closed: due for an answer";
  }

  async startPace() {
    const response = await fetch("/chat/model");
    const pace = response.ok ? await response.json() : null;
    if (pace === null) return;
    shown("model-section").hidden = false;
    for (const [id, name] of [["delay", "delay"], ["per-word", "per_word"]]) {
      const slider = shown(id);
      const show = () => { shown(`${id}-shown`).textContent = `${Number(slider.value)} s`; };
      slider.value = pace[name];
      slider.addEventListener("input", show);
      slider.addEventListener("change", () => this.onPace({ [name]: Number(slider.value) }));
      show();
    }
  }
}

function drawCounters(state) {
  const unanswered = state === null ? null : state.inbound_seq - state.answered_seq;
  shown("inbound").textContent = state?.inbound_seq ?? "–";
  shown("answered").textContent = state?.answered_seq ?? "–";
  shown("unanswered").textContent = unanswered ?? "–";
  shown("unanswered-box").classList.toggle("waiting", unanswered > 0);
}

function drawLease(lease) {
  shown("lease-facts").hidden = !lease;
  shown("lease-none").hidden = Boolean(lease);
  if (!lease) return;
  shown("lease-holder").textContent = lease.holder;
  shown("lease-holder").title = lease.holder;
  shown("lease-fence").textContent = lease.fence;
  shown("lease-expires").textContent = seconds(lease.expires_in);
}

function drawRun(run) {
  const place = shown("run-text");
  if (!run) {
    place.textContent = "none yet";
    return;
  }
  const state = document.createElement("span");
  state.className = "state";
  state.textContent = run.state;
  const range = run.first_seq === run.last_seq ? `message ${run.first_seq}` : `messages ${run.first_seq} to ${run.last_seq}`;
  place.replaceChildren(state, ` for ${range}`);
}
