// A field that completes words: the most frequent ones that begin with what was typed, then others.
import { grouped, make, replace } from "./dom.js";

export function completions(words, text, count = 12) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const [first, later] = [[], []];
  for (let id = 1; id < words.length && first.length < count; id++) {
    if (words[id].startsWith(wanted)) first.push(id);
    else if (later.length < count && words[id].includes(wanted)) later.push(id);
  }
  return [...first, ...later].slice(0, count);
}

export function wordField({ words, counts }, label, onChoose) {
  const list = make("ul", { className: "options", role: "listbox", id: "completions", "aria-label": label, hidden: true });
  const input = make("input", {
    type: "search", placeholder: label, "aria-label": label, role: "combobox", autocomplete: "off",
    "aria-controls": "completions", "aria-expanded": "false", spellcheck: "false",
  });
  let [found, at] = [[], -1];
  const close = () => show([]);
  const choose = (word) => {
    input.value = word;
    close();
    onChoose(word);
  };
  function show(ids) {
    [found, at] = [ids, -1];
    list.hidden = !ids.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    replace(list, ids.map((id) => make("li", {
      role: "option", "aria-selected": "false", onmousedown: (event) => {
        event.preventDefault();
        choose(words[id]);
      },
    }, words[id], make("small", {}, grouped(counts[id])))));
  }
  function select(step) {
    at = (at + step + found.length) % found.length;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    list.children[at].scrollIntoView({ block: "nearest" });
  }
  input.addEventListener("input", () => show(completions(words, input.value)));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (found.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      select(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && input.value.trim()) {
      choose(at >= 0 ? words[found[at]] : input.value.trim());
    } else if (event.key === "Escape") close();
  });
  return { input, element: make("div", { className: "search" }, input, list) };
}
