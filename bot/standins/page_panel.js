// What the bot's database says about the selected chat, and how slow its model is.
import { shown } from "/chat/page_dom.js";

const POLL = 250; // milliseconds
const SLIDERS = [{ id: "delay", name: "delay" }, { id: "per-word", name: "per_word" }];

const seconds = (value) => `${Math.max(0, value).toFixed(1)} s`;

export class Panel {
  constructor({ chat, read, onState, onPace }) {
    this.chat = chat;
    this.read = read;
    this.onState = onState;
    this.onPace = onPace;
    this.window = null;
    this.readAt = 0;
    this.live = false;
    const toggle = shown("panel-toggle");
    toggle.addEventListener("click", () => {
      const open = shown("panel").classList.toggle("shown");
      toggle.setAttribute("aria-expanded", String(open));
    });
  }

  start() {
    setInterval(() => document.visibilityState === "visible" && this.refresh(), POLL);
    const move = () => {
      if (this.live) this.drawWindow();
      requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
    for (const { id, name } of SLIDERS) {
      const slider = shown(id);
      slider.addEventListener("input", () => drawPace(id));
      slider.addEventListener("change", () => this.onPace({ [name]: Number(slider.value) }));
    }
  }

  showLive(live) {
    this.live = live;
    shown("panel-old").hidden = live;
    for (const section of shown("panel").querySelectorAll("section")) section.inert = !live;
    if (live) this.refreshPace();
  }

  async refresh() {
    const chat = this.chat();
    if (chat === null || this.asking === chat) return;
    this.asking = chat;
    const state = await this.read(`/chat/state?chat_id=${chat}&thread_id=0`);
    this.asking = null;
    if (state === undefined || chat !== this.chat()) return;
    this.draw(state);
    this.onState(state);
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
    const end = open.is_retry ? open.closes_in : open.cap_in;
    const whole = Math.max(open.opened_ago + end, 0.001);
    const share = (value) => Math.min(1, Math.max(0, value / whole));
    shown("elapsed").style.transform = `scaleX(${share(open.opened_ago + passed)})`;
    shown("close-mark").style.left = `${100 * share(open.opened_ago + open.closes_in)}%`;
    shown("window-end").textContent = open.is_retry ? "next try" : "cap";
    shown("window-text").textContent = windowText(open, passed);
  }

  async refreshPace() {
    const pace = await this.read("/chat/model");
    if (!pace) return;
    shown("model-section").hidden = false;
    for (const { id, name } of SLIDERS) {
      shown(id).value = pace[name];
      drawPace(id);
    }
  }
}

function windowText({ closes_in, cap_in, is_retry }, passed) {
  const left = closes_in - passed;
  if (left <= 0) return "closed: due for an answer";
  if (is_retry) return `closed: tried again in ${seconds(left)}`;
  return `closes in ${seconds(left)}, at the latest in ${seconds(cap_in - passed)}`;
}

function drawPace(id) {
  shown(`${id}-shown`).textContent = `${Number(shown(id).value)} s`;
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
