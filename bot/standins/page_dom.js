// Elements made by hand: nothing that somebody wrote is ever read as HTML.
const SAFE_LINK = /^(https?:\/\/|mailto:|tel:|tg:\/\/)/i;

export const shown = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function link(url, ...children) {
  if (!SAFE_LINK.test(url)) return make("span", { title: url }, ...children);
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export function button(text, onClick, properties = {}) {
  const element = make("button", { type: "button", textContent: text, ...properties });
  element.addEventListener("click", onClick);
  return element;
}

export function asBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
