// Text with entities: their offsets count UTF-16 units, as JavaScript's strings do.
import { link, make } from "/chat/page_dom.js";

const TAGS = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote",
};

export function marked(text, entities = []) {
  const inOrder = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return part(text, 0, text.length, inOrder);
}

function part(text, begin, end, entities) {
  const fragment = new DocumentFragment();
  let at = begin;
  while (entities.length > 0 && entities[0].offset < end) {
    const entity = entities.shift();
    const stop = Math.min(entity.offset + entity.length, end);
    if (entity.offset < at || stop <= entity.offset) continue;
    const element = elementOf(entity, text.slice(entity.offset, stop));
    element.append(part(text, entity.offset, stop, entities));
    fragment.append(text.slice(at, entity.offset), element);
    at = stop;
  }
  fragment.append(text.slice(at, end));
  return fragment;
}

function elementOf(entity, words) {
  switch (entity.type) {
    case "text_link": return link(String(entity.url));
    case "url": return link(/^\w+:/.test(words) ? words : `https://${words}`);
    case "email": return link(`mailto:${words}`);
    case "spoiler": return make("span", { className: "spoiler", tabIndex: 0 });
    case "bot_command": return make("button", { type: "button", className: "command", value: words });
    default: return make(TAGS[entity.type] ?? "span");
  }
}
