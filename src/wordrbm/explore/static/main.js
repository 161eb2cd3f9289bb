// The page: what the model is, the views, the address, the keyboard, light and dark.
import { exported, mapBytes, report } from "./api.js";
import { readAddress, writeAddress } from "./address.js";
import { isDark } from "./colours.js";
import { grouped, make, replace, showError, showLoading } from "./dom.js";
import { showHealth } from "./health.js";
import { showClassifier, showTagger } from "./predictors.js";
import { showSamples } from "./samples.js";
import { showText } from "./texts.js";
import { showUnits } from "./units.js";
import { showWords } from "./words.js";

const VIEWS = {
  words: ["Words", showWords], text: ["Text", showText], units: ["Hidden units", showUnits],
  health: ["Health", showHealth], samples: ["Samples", showSamples],
  classifier: ["Classifier", showClassifier], tagger: ["Tagger", showTagger],
};
const main = document.getElementById("view");
const model = { info: null };
let leaveView = () => {};

function available() {
  const has = { classifier: model.info?.classes, tagger: model.info?.tagger };
  const offline = ["words", "units", "health"];
  return Object.keys(VIEWS).filter((name) =>
    (exported ? offline.includes(name) : !(name in has) || has[name]));
}

function showView() {
  const { view, state } = readAddress();
  const name = available().includes(view) ? view : "words";
  for (const link of document.querySelectorAll("#views a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leaveView();
  leaveView = () => {};
  document.title = `${VIEWS[name][0]} · ${model.info.name} · wordrbm`;
  VIEWS[name][1](main, {
    model, state, update: (next) => writeAddress(name, next), leave: (call) => (leaveView = call),
  });
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
  try {
    localStorage.setItem("wordrbm-theme", theme);
  } catch { /* a browser without storage forgets it */ }
}

function firstTheme() {
  try {
    const stored = localStorage.getItem("wordrbm-theme");
    if (stored === "dark" || stored === "light") return stored;
  } catch { /* as above */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function toggleTheme() {
  setTheme(isDark() ? "light" : "dark");
  if (model.words) showView();
}

function onKey(event) {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number(event.key);
  if (number >= 1 && number <= available().length && event.key.trim()) location.hash = available()[number - 1];
  else if (event.key === "/") main.querySelector("input, textarea")?.focus();
  else if (event.key === "d" || event.key === "D") toggleTheme();
  else if (event.key === "?") document.getElementById("help").showModal();
  else return;
  event.preventDefault();
}

async function load() {
  showLoading(main, "Loading the words …");
  model.info = await report("info");
  const { name, sizes, map } = model.info;
  document.getElementById("about").textContent =
    `${name} · ${grouped(sizes.K)} words · windows of ${sizes.n} · ${sizes.H} units · vectors of ${sizes.d}`;
  replace(document.getElementById("views"), available().map((view) => make("a", { href: `#${view}` }, VIEWS[view][0])));
  const [listed, bytes] = await Promise.all([report("words"), mapBytes()]);
  Object.assign(model, listed, {
    places: new Int16Array(bytes, 0, 2 * map.points), clusters: new Uint8Array(bytes, 4 * map.points),
  });
  addEventListener("hashchange", showView);
  showView();
}

setTheme(firstTheme());
document.getElementById("theme").addEventListener("click", toggleTheme);
document.getElementById("keys").addEventListener("click", () => document.getElementById("help").showModal());
addEventListener("keydown", onKey);
load().catch((error) => showError(main, error));
