// The view of samples: Markov chains that walk while one looks.
import { stream } from "./api.js";
import { copyBar, pythonString, shellQuote } from "./copy.js";
import { grouped, make, percent, replace, showError } from "./dom.js";

const [SWEEPS, EVERY] = [1000, 5];

export function showSamples(main, { model, state, update, leave }) {
  const seed = make("input", { type: "number", min: "0", max: "4294967295", "aria-label": "Seed", value: state.seed ?? "1" });
  const list = make("ul", { className: "samples", "aria-label": "Windows of the chains" });
  const status = make("p", { className: "note", role: "status" }, "Chains start from words drawn by frequency.");
  const button = make("button", { className: "primary", type: "button", onclick: () => (running ? stop() : start()) }, "Start");
  const copy = make("div", {});
  let [running, before] = [null, null];
  leave(stop);
  replace(main, make("h2", {}, "Samples"),
    make("p", { className: "lead" }, "Twelve Markov chains: every sweep offers each word new ones by Metropolis–Hastings " +
      "given the hidden units, then draws the units given the words. Words that just changed are marked."),
    make("div", { className: "row" }, make("label", {}, "Seed ", seed), button, status),
    make("div", { className: "card" }, list), copy);
  start();

  function stop() {
    running?.abort();
    running = null;
    button.textContent = "Start";
  }

  async function start() {
    const number = Math.max(0, Math.floor(Number(seed.value)) || 0);
    update({ seed: number });
    running = new AbortController();
    before = null;
    button.textContent = "Stop";
    const folder = model.info.paths.model;
    replace(copy, copyBar(`import wordrbm\nmodel = wordrbm.load(${pythonString(folder)})\nmodel.words(model.sample(${number}, 12, ${SWEEPS}))`,
      `wordrbm sample ${shellQuote(folder)} --count 12 --sweeps ${SWEEPS} --seed ${number}`));
    try {
      for await (const frame of stream("samples", { seed: number, count: 12, sweeps: SWEEPS, every: EVERY }, running.signal)) {
        show(frame);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      stop();
    } catch (error) {
      stop();
      showError(list, error);
    }
  }

  function show({ sweep, acceptance, windows }) {
    replace(list, windows.map((words, i) => make("li", {}, words.map((word, t) =>
      make("span", { className: before && before[i][t] !== word ? "moved" : "" }, word)))));
    before = windows;
    status.textContent = `Sweep ${grouped(sweep)} of ${grouped(SWEEPS)} · ${percent(acceptance)} of proposals accepted`;
  }
}
