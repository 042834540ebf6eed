// Faults to switch on and off: the stand-ins know which there are and what each does.
import { make, shown } from "/chat/page_dom.js";

const POLL = 1000; // milliseconds

const NEIGHBOURS = { telegram: "Telegram", model: "Model" };
const OFTEN = [
  ["each time", { rate: 1, count: null }],
  ["every second time", { rate: 0.5, count: null }],
  ["every tenth time", { rate: 0.1, count: null }],
  ["once", { rate: 1, count: 1 }],
  ["three times", { rate: 1, count: 3 }],
];

export class Trouble {
  constructor({ read, onWish }) {
    this.read = read;
    this.onWish = onWish;
    this.rows = new Map();
    this.groups = new Map();
    shown("trouble-off").addEventListener("click", () => this.wish({ all: "off" }));
  }

  start() {
    setInterval(() => document.visibilityState === "visible" && this.refresh(), POLL);
  }

  async refresh() {
    if (this.asking) return;
    this.asking = true;
    const found = await this.read();
    this.asking = false;
    if (found) this.draw(found.faults);
  }

  async wish(body) {
    const found = await this.onWish(body);
    if (found) this.draw(found.faults);
  }

  draw(faults) {
    for (const fault of faults) {
      if (!this.rows.has(fault.name)) this.add(fault);
      this.rows.get(fault.name).draw(fault);
    }
    for (const [neighbour, group] of this.groups) {
      const on = faults.filter((fault) => fault.on && fault.name.startsWith(`${neighbour}:`));
      group.textContent = on.length > 0 ? `${on.length} on` : "";
    }
    const on = faults.filter((fault) => fault.on).length;
    shown("trouble-off").hidden = on === 0;
    shown("panel-toggle").dataset.trouble = on > 0 ? String(on) : "";
    shown("panel-toggle").title = on > 0 ? `${on} of the neighbours' faults on` : "";
    shown("trouble").hidden = false;
  }

  add(fault) {
    const neighbour = fault.name.split(":")[0];
    if (!this.groups.has(neighbour)) this.addGroup(neighbour);
    const row = new Row(fault, (order) => this.wish({ faults: [order] }));
    this.rows.set(fault.name, row);
    this.groups.get(neighbour).closest("details").querySelector("ul").append(row.element);
  }

  addGroup(neighbour) {
    const details = make("details");
    const summary = make("summary", { textContent: NEIGHBOURS[neighbour] ?? neighbour });
    const count = make("span", { className: "on-count" });
    summary.append(count);
    details.append(summary, make("ul"));
    shown("trouble").append(details);
    this.groups.set(neighbour, count);
  }
}

class Row {
  constructor(fault, onOrder) {
    this.name = fault.name;
    this.element = make("li", { className: "fault", title: fault.does });
    this.box = make("input", { type: "checkbox" });
    this.box.setAttribute("role", "switch");
    this.struck = make("output", { title: "how often it struck" });
    const label = make("label", { className: "switch" });
    label.append(this.box, make("span", { textContent: fault.title }), this.struck);
    this.how = make("div", { className: "how" });
    this.how.append(make("p", { textContent: fault.does }), ...this.controls(fault));
    this.element.append(label, this.how);
    const order = () => onOrder(this.order());
    for (const control of [this.box, this.argument, this.often, this.method]) {
      control?.addEventListener("change", order);
    }
  }

  controls(fault) {
    const controls = [];
    if (fault.unit !== null) {
      this.argument = make("input", { type: "number", min: 0, max: fault.highest, step: "any" });
      controls.push(labelled(fault.unit, this.argument));
    }
    if (!fault.steady) {
      this.often = make("select");
      OFTEN.forEach(([text], place) => this.often.append(make("option", { value: place, textContent: text })));
      controls.push(labelled("strikes", this.often));
    }
    if (fault.touches.length > 1) {
      this.method = make("select");
      for (const name of ["", ...fault.touches]) {
        this.method.append(make("option", { value: name, textContent: name || "any method" }));
      }
      controls.push(labelled("touches", this.method));
    }
    return controls;
  }

  draw(fault) {
    this.box.checked = fault.on;
    this.how.hidden = !fault.on;
    this.struck.textContent = fault.struck > 0 ? `${fault.struck}×` : "";
    if (this.argument && document.activeElement !== this.argument) this.argument.value = fault.argument;
    if (this.often && document.activeElement !== this.often) this.drawOften(fault);
    if (this.method && document.activeElement !== this.method) {
      const all = fault.methods === null || fault.methods.length === fault.touches.length;
      this.method.value = all ? "" : fault.methods[0];
    }
  }

  drawOften({ rate, count }) {
    this.often.querySelector("[data-other]")?.remove();
    const place = OFTEN.findIndex(([, each]) => each.rate === rate && each.count === count);
    if (place >= 0) {
      this.often.value = place;
      return;
    }
    const times = count === null ? "" : `${count} more`;
    const share = rate === 1 ? "" : `${+(100 * rate).toFixed(2)} %`;
    const text = [times, share].filter(Boolean).join(", at ");
    const other = make("option", { value: -1, textContent: text, selected: true });
    other.dataset.other = JSON.stringify({ rate, count });
    this.often.append(other);
  }

  order() {
    const order = { name: this.name, on: this.box.checked };
    if (!order.on) return order;
    if (this.argument && this.argument.validity.valid && this.argument.value !== "") {
      order.argument = this.argument.valueAsNumber;
    }
    if (this.method?.value) order.methods = [this.method.value];
    return { ...order, ...this.oftenChosen() };
  }

  oftenChosen() {
    if (!this.often) return {};
    const other = this.often.selectedOptions[0]?.dataset.other;
    return other ? JSON.parse(other) : OFTEN[this.often.value][1];
  }
}

function labelled(text, control) {
  const label = make("label");
  label.append(make("span", { textContent: text }), control);
  return label;
}
