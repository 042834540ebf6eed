// Rich messages: a modest reading of their Markdown. HTML and blocks are shown as they were given.
import { link, make } from "/chat/page_dom.js";

const FENCE = /^\s*(```+|~~~+)\s*([\w+#-]*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
// In the order in which they bind: code and links first, for nothing in them is a mark.
const INLINE = [
  [/`+([^`]+)`+/, ([, code]) => make("code", { textContent: code })],
  [/\[([^\]]*)\]\(([^()\s]+(?:\([^()\s]*\))?)\)/, ([, text, url]) => link(url, inline(text))],
  [/\*\*(\S|\S.*?\S)\*\*/s, ([, text]) => make("b", {}, inline(text))],
  [/~~(\S|\S.*?\S)~~/s, ([, text]) => make("s", {}, inline(text))],
  [/\|\|(\S|\S.*?\S)\|\|/s, ([, text]) => make("span", { className: "spoiler", tabIndex: 0 }, inline(text))],
  [/\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/, ([, math]) => make("code", { className: "math", textContent: math })],
  [/(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/, ([, text]) => make("i", {}, inline(text))],
  [/(?<!\w)_([^\s_](?:[^_]*[^\s_])?)_(?!\w)/, ([, text]) => make("i", {}, inline(text))],
  [/https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]'"]/, ([url]) => link(url, url)],
];

export function richElement(rich) {
  if (typeof rich.markdown === "string") {
    return make("div", { className: "rich", dir: "auto" }, blocks(rich.markdown.split("\n")));
  }
  const source = rich.html ?? JSON.stringify(rich.blocks, null, 1);
  return make("pre", { className: "source", textContent: source });
}

function blocks(lines) {
  const fragment = new DocumentFragment();
  let at = 0;
  while (at < lines.length) {
    const [element, next] = block(lines, at);
    if (element !== null) fragment.append(element);
    at = next;
  }
  return fragment;
}

function block(lines, at) {
  const line = lines[at];
  if (line.trim() === "") return [null, at + 1];
  if (FENCE.test(line)) return fence(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [make(`h${Math.min(6, heading[1].length + 2)}`, {}, inline(heading[2])), at + 1];
  if (RULE.test(line)) return [make("hr"), at + 1];
  if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "")) return table(lines, at);
  if (line.startsWith(">")) return quote(lines, at);
  if (ITEM.test(line)) return list(lines, at);
  return paragraph(lines, at);
}

function fence(lines, at) {
  const [, mark, language] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) end += 1;
  const code = make("code", { textContent: lines.slice(at + 1, end).join("\n") });
  return [make("pre", { title: language }, code), end + 1];
}

function table(lines, at) {
  const body = make("tbody");
  const head = make("thead", {}, row(lines[at], "th"));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) {
    body.append(row(lines[end], "td"));
    end += 1;
  }
  return [make("div", { className: "table" }, make("table", {}, head, body)), end];
}

function row(line, tag) {
  const cells = line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/);
  return make("tr", {}, ...cells.map((cell) => make(tag, {}, inline(cell.trim().replaceAll("\\|", "|")))));
}

function quote(lines, at) {
  let end = at;
  while (end < lines.length && lines[end].startsWith(">")) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^> ?/, ""));
  return [make("blockquote", {}, blocks(inner)), end];
}

function list(lines, at) {
  const [, indent, sign] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(sign);
  const element = make(ordered ? "ol" : "ul");
  if (ordered) element.start = Number.parseInt(sign, 10);
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length > indent.length + 1 || /\d/.test(item[2]) !== ordered) break;
    if (item[1].length < indent.length) break;
    const inner = [item[3]];
    end += 1;
    while (end < lines.length && /^\s{2,}\S/.test(lines[end]) && depth(lines[end]) > indent.length + 1) {
      inner.push(lines[end].slice(indent.length + 2));
      end += 1;
    }
    element.append(make("li", {}, blocks(inner)));
  }
  return [element, end];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && !startsBlock(lines, end)) end += 1;
  return [make("p", {}, inline(lines.slice(at, end).join("\n"))), end];
}

function startsBlock(lines, at) {
  const line = lines[at];
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || line.startsWith(">")) return true;
  return ITEM.test(line) || (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? ""));
}

function depth(line) {
  return line.length - line.trimStart().length;
}

function inline(text) {
  const fragment = new DocumentFragment();
  let rest = text;
  while (rest !== "") {
    const [found, build] = firstMark(rest);
    if (found === null) break;
    fragment.append(plain(rest.slice(0, found.index)), build(found));
    rest = rest.slice(found.index + found[0].length);
  }
  fragment.append(plain(rest));
  return fragment;
}

function firstMark(text) {
  let first = [null, null];
  for (const [pattern, build] of INLINE) {
    const found = pattern.exec(text);
    if (found && (first[0] === null || found.index < first[0].index)) first = [found, build];
  }
  return first;
}

function plain(text) {
  return text.replace(/\\([\\`*_{}[\]()#+.!|~>$-])/g, "$1");
}
