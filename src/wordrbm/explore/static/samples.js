// The view of samples: Markov chains that walk while one looks.
import { stream } from "./api.js";
import { copyBar, pythonString, shellQuote } from "./copy.js";
import { make, percent, replace, showError } from "./dom.js";

export function showSamples(main, { model, state, update, leave }) {
  const seed = make("input", { type: "number", min: "0", max: "4294967295", "aria-label": "Seed", value: state.seed ?? "1" });
  const list = make("ul", { className: "samples" });
  const status = make("p", { className: "note", role: "status" }, "Chains start from words drawn by frequency.");
  const button = make("button", { className: "primary", type: "button", onclick: () => (running ? stop() : start()) }, "Start");
  const copy = make("div", {});
  let running = null;
  leave(stop);
  replace(main, make("h2", {}, "Samples"),
    make("p", { className: "lead" }, "Twelve Markov chains: every sweep offers each word new ones by Metropolis–Hastings " +
      "given the hidden units, then draws the units given the words. Windows that just changed are marked."),
    make("div", { className: "row" }, make("label", {}, "Seed ", seed), button, status),
    make("div", { className: "card" }, list), copy);

  function stop() {
    running?.abort();
    running = null;
    button.textContent = "Start";
  }

  async function start() {
    const number = Math.max(0, Math.floor(Number(seed.value)) || 0);
    update({ seed: number });
    running = new AbortController();
    button.textContent = "Stop";
    const folder = model.info.paths.model;
    replace(copy, copyBar(`import wordrbm\nmodel = wordrbm.load(${pythonString(folder)})\nmodel.words(model.sample(${number}, 12, 1000))`,
      `wordrbm sample ${shellQuote(folder)} --count 12 --sweeps 1000 --seed ${number}`));
    try {
      for await (const frame of stream("samples", { seed: number, count: 12, sweeps: 1000, every: 5 }, running.signal)) {
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
    const before = [...list.children].map((item) => item.textContent);
    replace(list, windows.map((words, i) => {
      const text = words.join(" ");
      return make("li", { className: before[i] && before[i] !== text ? "moved" : "" }, text);
    }));
    status.textContent = `Sweep ${sweep} of 1000 · ${percent(acceptance)} of proposals accepted`;
  }
}
