// "Copy as Python" and "copy as a command": what a view shows, to be done again elsewhere.
import { make } from "./dom.js";

export function shellQuote(text) {
  return /^[A-Za-z0-9_./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function pythonString(text) {
  return JSON.stringify(text);
}

// A command that reads lines: printf writes them as they are, whatever they begin with.
export function pipedCommand(lines, command) {
  return `printf '%s\\n' ${lines.map(shellQuote).join(" ")} | ${command}`;
}

// Words after --, where one of them could be taken for an option.
export function shellWords(words) {
  return (words.some((word) => word.startsWith("-")) ? "-- " : "") + words.map(shellQuote).join(" ");
}

export function copyBar(python, command) {
  const shown = make("code", {}, command || python);
  const button = (name, text) =>
    make("button", { type: "button", onclick: (event) => copyText(event.currentTarget, text, shown) }, name);
  return make(
    "div", { className: "copy" },
    python ? button("Copy as Python", python) : null,
    command ? button("Copy as command", command) : null,
    shown,
  );
}

async function copyText(button, text, shown) {
  shown.textContent = text;
  const name = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(shown); // a browser that refuses: it is selected to be copied
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = name), 1200);
}
