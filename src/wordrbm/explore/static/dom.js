// Elements made from text alone: nothing is ever parsed as HTML.

export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null));
}

export function showError(parent, error) {
  if (error.name === "AbortError") return;
  replace(parent, make("p", { className: "error", role: "alert" }, error.message));
}

export function showLoading(parent, text) {
  replace(parent, make("p", { className: "note", role: "status" }, text));
}

export function table(caption, heads, rows) {
  const cell = (tag) => (content, i) =>
    make(tag, { className: heads[i].number ? "number" : "", scope: tag === "th" ? "col" : null }, content);
  const body = rows.map((row) => make("tr", {}, row.map(cell("td"))));
  const head = make("tr", {}, heads.map((h) => h.name).map(cell("th")));
  return make("table", { "aria-label": caption }, make("thead", {}, head), make("tbody", {}, body));
}

export function bar(share, label, less = false) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  const filled = make("span", { className: less ? "bar less" : "bar", style: { width } });
  return make("span", { className: "meter", role: "img", "aria-label": label }, filled);
}

export function wordsOf(input) {
  return input.value.trim().split(/\s+/).filter(Boolean);
}

export function percent(p) {
  if (p >= 0.0995) return `${(100 * p).toFixed(0)} %`;
  if (p >= 0.00000995) return `${Number((100 * p).toPrecision(2))} %`;
  return p > 0 ? p.toExponential(1) : "0";
}

export function grouped(number) {
  return Math.round(number).toLocaleString("en");
}
