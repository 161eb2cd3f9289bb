// The view of health: how the training went, where the mass lies, how fast chains mix.
import { ask, exported, report } from "./api.js";
import { chart } from "./chart.js";
import { EXAMPLE } from "./texts.js";
import { copyBar, pythonString, shellQuote } from "./copy.js";
import { make, percent, replace, showError, showLoading, table, wordsOf } from "./dom.js";

const CURVES = [
  ["Held-out cloze perplexity", [["cloze_perplexity", "model"], ["unigram_perplexity", "word counts"]], true],
  ["Upper bound on the held-out log-likelihood, nats a window", [["joint_bound", "model"], ["unigram_joint", "word frequencies"]]],
  ["Share on the ten heaviest windows", [["ten_heaviest", "model"], ["ten_heaviest_text", "text"]]],
  ["Acceptance of proposals", [["acceptance", "words"], ["jump_acceptance", "windows"]]],
  ["Free-energy gap, held-out text less chains", [["free_energy_gap", "gap"]]],
];

export async function showHealth(main, { model, state, update }) {
  const charts = make("div", { className: "charts" });
  const tables = make("div", { className: "columns" });
  const mixing = make("section", { className: "card", "aria-label": "Mixing" });
  const folder = model.info.paths.model;
  replace(main, make("h2", {}, "Health"),
    make("p", { className: "lead" }, "A sound model spreads its mass as the text does: its ten heaviest windows hold no " +
      "more of the model than of the text, and the bound on its likelihood stays above that of word frequencies."),
    charts, tables, exported ? null : mixing,
    copyBar(`from pathlib import Path\nfrom wordrbm.analysis.history import read_run\nread_run(Path(${pythonString(folder)}), "run").records`,
      `wordrbm metrics ${shellQuote(folder)} --out run.png`));
  if (!exported) mixingForm();
  showLoading(charts, "Reading the history, weighing the windows of the text …");
  try {
    const answer = await report("health");
    replace(charts);
    showCurves(answer.records);
    replace(tables, likelihoodCard(answer.likelihood), heaviestCard(answer.heaviest));
  } catch (error) {
    showError(charts, error);
  }

  function showCurves(records) {
    if (!records.length) {
      replace(charts, make("p", { className: "note" }, "This model has no history: it was not written by wordrbm train."));
      return;
    }
    const x = records.map((record) => record.windows / 1e6);
    for (const [title, fields, log] of CURVES) {
      const known = fields.filter(([name]) => records.some((record) => record[name] != null));
      const series = known.map(([name, label]) => ({ label, values: records.map((record) => record[name] ?? null) }));
      if (series.length) chart(charts, title, x, series, { log, xlabel: "million windows" });
    }
  }

  function likelihoodCard(likelihood) {
    const corpus = model.info.paths.corpus ?? "CORPUS";
    if (!likelihood) {
      return make("div", { className: "card" }, make("h3", {}, "Joint likelihood"),
        make("p", { className: "note" }, "Not estimated yet. To know log Z and the likelihood of whole windows, run"),
        copyBar("", `wordrbm likelihood ${shellQuote(folder)} ${shellQuote(corpus)}`));
    }
    const rows = Object.entries(likelihood.held_out ?? {}).map(([name, row]) =>
      [name, `${row.log_likelihood.toFixed(2)} ± ${(2 * row.standard_error).toFixed(2)}`]);
    return make("div", { className: "card" }, make("h3", {}, "Joint likelihood of held-out windows"),
      table("Likelihood", [{ name: "" }, { name: "nats a window", number: true }], rows),
      make("p", { className: "note" }, `log Z = ${likelihood.log_Z.toFixed(2)}`),
      (likelihood.warnings ?? []).map((warning) => make("p", { className: "error" }, warning)));
  }

  function heaviestCard(heaviest) {
    if (!heaviest) {
      return make("div", { className: "card" }, make("h3", {}, "Heaviest windows"),
        make("p", { className: "note" }, "Start wordrbm explore with --corpus CORPUS to see them."));
    }
    const rows = heaviest.windows.map((row) => [row.words, percent(row.share), percent(row.text_share)]);
    return make("div", { className: "card" }, make("h3", {}, "Heaviest windows of the text"),
      table("Heaviest windows", [{ name: "window" }, { name: "of the model", number: true }, { name: "of the text", number: true }],
        [...rows, [make("strong", {}, "all ten"), percent(heaviest.share_of_ten), percent(heaviest.text_share_of_ten)]]),
      make("p", { className: "note" }, "Shares among the windows of the text that were weighed."));
  }

  // The beginning of an example text, if all its words are known.
  function exampleWindow(n) {
    const words = EXAMPLE.split(" ").slice(0, n);
    return (words.every((word) => model.words.includes(word)) ? words : model.words.slice(1, n + 1)).join(" ");
  }

  function mixingForm() {
    const n = model.info.sizes.n;
    const input = make("input", { className: "wide", "aria-label": "Window to mix", value: state.mix ?? exampleWindow(n) });
    const result = make("div", { className: "charts" });
    const copied = make("div", {});
    const go = async () => {
      showLoading(result, "Computing …");
      try {
        const answer = await ask("mixing", { window: wordsOf(input) });
        update({ mix: input.value });
        replace(result);
        answer.positions.forEach((row) => chart(result,
          `Position ${row.position + 1}, “${row.window[row.position]}”: acceptance ${percent(row.acceptance)}`,
          row.steps.slice(1), [{ label: "total variation", values: row.distance.slice(1) }], { xlabel: "steps" }));
        replace(copied, mixingCopy(answer.operator, wordsOf(input)));
      } catch (error) {
        showError(result, error);
      }
    };
    input.addEventListener("keydown", (event) => event.key === "Enter" && go());
    replace(mixing, make("h3", {}, "How fast a word mixes, exactly"),
      make("p", { className: "note" }, `Distance from P(word | h) after t Metropolis–Hastings steps; training makes ${model.info.mh_steps}. Write a window of ${n} words.`),
      make("div", { className: "row" }, input, make("button", { className: "primary", type: "button", onclick: go }, "Compute")), result, copied);
    go();
  }

  function mixingCopy(operator, words) {
    const corpus = model.info.paths.corpus;
    return copyBar(`import wordrbm\nfrom wordrbm.analysis.mixing import build_operator, draw_cases, study_mixing\n` +
      `from wordrbm.inference.inputs import window_ids\nmodel = wordrbm.load(${pythonString(folder)})\n` +
      `operator = build_operator(${pythonString(operator)}, model.rbm, model.vocabulary.probability())\n` +
      `v = window_ids(model.vocabulary, [${words.map(pythonString).join(", ")}], model.rbm.positions)\n` +
      "list(study_mixing(model.rbm, operator, draw_cases(model.rbm, v, 1), (1, 10, 100, 1000)))",
    corpus ? `wordrbm mixing ${shellQuote(folder)} ${shellQuote(corpus)} --window ${shellQuote(words.join(" "))} --out mixing` : "");
  }
}
