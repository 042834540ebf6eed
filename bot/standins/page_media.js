// What is in a message besides text.
import { make } from "/chat/page_dom.js";

const address = (media) => `/chat/files/${encodeURIComponent(media.file)}`;

export function mediaElement(media) {
  switch (media.kind) {
    case "photo": return photoElement(media);
    case "voice": return file(media, "♪", `voice, ${media.duration} s`, "voice.oga");
    case "video_note": return file(media, "●", `video note, ${media.duration} s`, "note.mp4");
    case "document": return file(media, "↓", media.file_name, media.file_name);
    case "sticker": return make("div", { className: "sticker", textContent: media.emoji });
    case "contact": return item("☎", `${media.first_name}, ${media.phone_number}`);
    case "location": return item("◎", `${media.latitude}, ${media.longitude}`);
    case "poll": return poll(media);
    default: return item("?", media.kind);
  }
}

export function photoElement(media) {
  const image = make("img", {
    src: address(media),
    alt: `photo, ${media.width} by ${media.height}`,
    width: media.width,
    height: media.height,
    loading: "lazy",
  });
  return make("a", { className: "photo", href: address(media), target: "_blank" }, image);
}

function file(media, sign, title, name) {
  const element = item(sign, title, bytes(media.file_size));
  return make("a", { className: "download", href: address(media), download: name }, element);
}

function item(sign, title, note = "") {
  const words = make("span", {}, make("b", { textContent: title }), make("small", { textContent: note }));
  return make("div", { className: "item" }, make("span", { className: "sign", textContent: sign }), words);
}

function poll({ question, options }) {
  const choices = options.map(({ text }) => make("li", { textContent: text }));
  return make("div", { className: "poll" }, make("b", { textContent: question }), make("ul", {}, ...choices));
}

function bytes(count) {
  if (count < 1000) return `${count} bytes`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
