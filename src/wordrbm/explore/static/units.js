// The view of hidden units: what turns one on, and a free energy as a sum over all of them.
import { ask, exported, report } from "./api.js";
import { copyBar, pipedCommand, pythonString, shellQuote } from "./copy.js";
import { bar, grouped, make, percent, replace, showError, showLoading, table, wordsOf } from "./dom.js";

export function showUnits(main, { model, state, update }) {
  const detail = make("div", {});
  const list = make("div", {});
  const energy = make("section", { className: "card", "aria-label": "Free energy" });
  replace(main, make("h2", {}, "Hidden units"),
    make("p", { className: "lead" }, `Each of the ${model.info.sizes.H} units answers P(h = 1 | window). ` +
      "A unit is known by the words that turn it on at each position, and by the windows of the text where it is surest."),
    detail, exported ? null : energy, list);
  listUnits();
  look(Number(state.unit ?? 0)).then((answer) => exported || energyForm(answer));

  async function listUnits() {
    showLoading(list, "Measuring the units on the text …");
    try {
      const { units, windows } = await report("units");
      const sorted = windows ? [...units].sort((a, b) => b.on_rate - a.on_rate) : units;
      replace(list, make("h3", {}, windows ? `All units, by how often they are on in ${grouped(windows)} windows` : "All units"),
        make("div", { className: "units" }, sorted.map((unit) => make("button", {
          type: "button", onclick: () => look(unit.unit),
        }, `${unit.unit}${unit.on_rate === null ? "" : ` · on ${percent(unit.on_rate)}`}`,
        make("small", {}, unit.words.join(", "))))));
    } catch (error) {
      showError(list, error);
    }
  }

  async function look(unit) {
    try {
      const answer = await ask("unit", { unit });
      update({ ...state, unit: (state.unit = unit) });
      showUnit(answer);
      detail.scrollIntoView({ block: "nearest" });
      return answer;
    } catch (error) {
      showError(detail, error);
      return null;
    }
  }

  // A window where the unit is on, and the same with a word that turns it off.
  function exampleWindows(answer) {
    const n = model.info.sizes.n;
    const window = answer?.windows[0]?.words ?? answer?.positions.map((place) => place.highest[0][0]) ?? model.words.slice(1, n + 1);
    const other = answer?.positions[n - 1].lowest[0][0] ?? model.words[1];
    return [window, [...window.slice(0, -1), other]].map((words) => words.join(" "));
  }

  function showUnit(answer) {
    const largest = Math.max(...answer.positions.map((place) => place.highest[0]?.[1] ?? 0), 1e-9);
    const columns = answer.positions.map((place, i) => make("div", { className: "card" },
      make("h3", {}, `On at position ${i + 1}`),
      table(`Words at position ${i + 1}`, [{ name: "word" }, { name: "" }, { name: "weight", number: true }],
        place.highest.map(([word, weight]) => [word, bar(weight / largest, weight.toFixed(2)), weight.toFixed(2)])),
      make("p", { className: "note" }, `Off: ${place.lowest.slice(0, 5).map(([word]) => word).join(", ")}`)));
    const windows = answer.windows.length
      ? table("Top windows", [{ name: "window" }, { name: "P(h = 1)", number: true }],
        answer.windows.slice(0, 12).map((row) => [row.words.join(" "), row.mean.toFixed(3)]))
      : make("p", { className: "note" }, "Start wordrbm explore with --corpus CORPUS to see its windows of the text, and how often it is on.");
    const folder = model.info.paths.model;
    replace(detail, make("div", { className: "row" },
      make("span", { className: "big" }, `Unit ${answer.unit}`),
      make("span", { className: "note" }, `${answer.on_rate === null ? "" : `on in ${percent(answer.on_rate)} of the text · `}bias ${answer.bias.toFixed(2)}`),
      make("button", { type: "button", onclick: () => look(Math.max(0, answer.unit - 1)) }, "Previous"),
      make("button", { type: "button", onclick: () => look(Math.min(model.info.sizes.H - 1, answer.unit + 1)) }, "Next")),
    make("div", { className: "columns" }, columns, make("div", { className: "card" }, make("h3", {}, "Surest windows of the text"), windows)),
    copyBar(`import wordrbm\nfrom wordrbm.analysis.hidden_units import unit_words\nmodel = wordrbm.load(${pythonString(folder)})\n` +
      `unit_words(model.rbm, model.vocabulary.words, ${answer.unit}, 10, among=20_000)`,
    `wordrbm units ${shellQuote(folder)} ${answer.unit}${model.info.paths.corpus ? ` --corpus ${shellQuote(model.info.paths.corpus)}` : ""}`));
  }

  function energyForm(unit) {
    const n = model.info.sizes.n;
    const example = exampleWindows(unit);
    const before = make("input", { className: "wide", "aria-label": "Window before", value: state.before ?? example[0] });
    const after = make("input", { className: "wide", "aria-label": "Window after", value: state.after ?? example[1] });
    const result = make("div", {});
    const go = async () => {
      try {
        const answer = await ask("energy", { window: wordsOf(before), changed: wordsOf(after) });
        Object.assign(state, { before: before.value, after: after.value });
        update(state);
        showEnergy(result, answer);
      } catch (error) {
        showError(result, error);
      }
    };
    for (const input of [before, after]) input.addEventListener("keydown", (event) => event.key === "Enter" && go());
    replace(energy, make("h3", {}, "Free energy as a sum over units"),
      make("p", { className: "note" }, `F(v) = −Σ b[v] − Σ softplus(input of unit j). Write a window of ${n} words, and the same with a word changed.`),
      make("div", { className: "row pair" }, make("label", {}, "before", before), make("label", {}, "after", after),
        make("button", { className: "primary", type: "button", onclick: go }, "Compare")),
      result);
    go();
  }

  function energyCopy(windows) {
    const folder = model.info.paths.model;
    return copyBar(`import numpy as np\nimport wordrbm\nfrom wordrbm.analysis.hidden_units import free_energy_terms\nfrom wordrbm.inference.inputs import window_ids\n` +
      `model = wordrbm.load(${pythonString(folder)})\nwindows = [${windows.map(pythonString).join(", ")}]\n` +
      "v = np.concatenate([window_ids(model.vocabulary, window.split(), model.rbm.positions) for window in windows])\nfree_energy_terms(model.rbm, v).total()",
    pipedCommand(windows, `wordrbm score ${shellQuote(folder)} --words 0`));
  }

  function showEnergy(result, answer) {
    const change = answer.units[1].map((value, j) => ({ j, change: value - answer.units[0][j], from: answer.units[0][j], to: value }));
    change.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    const most = Math.abs(change[0].change) || 1;
    const total = answer.total[1] - answer.total[0];
    const row = (name, from, to, size) => [name, from.toFixed(2), to.toFixed(2),
      bar(Math.abs(size) / most, size.toFixed(2), size > 0),
      `${size > 0 ? "+" : ""}${size.toFixed(2)}`];
    const rows = [
      row("word biases", answer.bias[0], answer.bias[1], answer.bias[1] - answer.bias[0]),
      ...change.slice(0, 12).map((x) => row(make("button", { className: "link", type: "button", onclick: () => look(x.j) }, `unit ${x.j}`), x.from, x.to, x.change)),
    ];
    replace(result,
      make("p", {}, `F changes from ${answer.total[0].toFixed(2)} to ${answer.total[1].toFixed(2)}: the second window is `,
        make("strong", {}, `${Math.exp(Math.min(700, Math.abs(total))).toPrecision(3)} times ${total < 0 ? "likelier" : "less likely"}`), "."),
      table("Terms of the free energy", [{ name: "term" }, { name: "before", number: true }, { name: "after", number: true }, { name: "" }, { name: "change", number: true }], rows),
      energyCopy(answer.words.map((window) => window.join(" "))));
  }
}
