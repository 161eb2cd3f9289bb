// The views of a classifier, window by window, and of a tagger, token by token.
import { ask } from "./api.js";
import { CLUSTER_COLOURS, hexColour } from "./colours.js";
import { copyBar, pipedCommand, pythonString, shellQuote } from "./copy.js";
import { bar, make, percent, replace, showError, showLoading, table } from "./dom.js";
import { EXAMPLE } from "./texts.js";

function documentForm(main, title, lead, start, question, show) {
  const input = make("textarea", { rows: 5, "aria-label": "Text" });
  input.value = start;
  const result = make("div", {});
  let request = null;
  const go = async () => {
    request?.abort();
    request = new AbortController();
    showLoading(result, "Reading …");
    try {
      show(result, await ask(question, { text: input.value }, request.signal), input.value);
    } catch (error) {
      showError(result, error);
    }
  };
  replace(main, make("h2", {}, title), make("p", { className: "lead" }, lead), input,
    make("div", { className: "row" }, make("button", { className: "primary", type: "button", onclick: go }, "Read")), result);
  go();
}

function tint(c, share) {
  return `rgba(${hexColour(CLUSTER_COLOURS[c % 12]).join(",")}, ${0.55 * Math.max(0, Math.min(1, share))})`;
}

export function showClassifier(main, { model, state, update }) {
  const folder = model.info.paths.classifier ?? "CLASSIFIER";
  const lead = "Every word is coloured by the class it speaks for: what its windows add to the logit of that class.";
  documentForm(main, "Classifier", lead, state.text ?? EXAMPLE, "classify", (result, answer, text) => {
    update({ text });
    const largest = Math.max(1e-9, ...answer.words.flat().map(Math.abs));
    const words = answer.tokens.map((token, t) => {
      const c = answer.words[t].indexOf(Math.max(...answer.words[t]));
      return make("span", { style: { background: tint(c, answer.words[t][c] / largest), borderRadius: "4px", padding: "0 3px" },
        title: answer.classes.map((name, k) => `${name} ${answer.words[t][k].toFixed(3)}`).join(", ") }, token);
    });
    const cards = answer.classes.map((name, c) => make("div", { className: "card" },
      make("h3", {}, make("span", { className: "swatch", style: { background: CLUSTER_COLOURS[c % 12] } }), ` ${name}`),
      make("p", { className: "big" }, percent(answer.probability[c])), bar(answer.probability[c], percent(answer.probability[c])),
      table(`Windows for ${name}`, [{ name: "window" }, { name: "adds", number: true }],
        answer.windows[c].map((row) => [row.words.join(" "), `+${row.value[c].toFixed(3)}`]))));
    replace(result, make("div", { className: "columns" }, cards),
      make("div", { className: "card" }, words.length ? make("div", { className: "words" }, words) : "There are no words in this text."),
      copyBar(`from pathlib import Path\nfrom wordrbm.classification.classifier_file import load_classifier\n` +
        `load_classifier(Path(${pythonString(folder)})).probabilities([${pythonString(text)}])`,
      pipedCommand([text], `wordrbm classifier explain ${shellQuote(folder)} -`)));
  });
}

function tokenLines(columns) {
  if (columns === 1) return EXAMPLE;
  return columns === 2 ? "He PRP\nreckons VBZ\nthe DT\ncurrent JJ\naccount NN\ndeficit NN\nwill MD\nnarrow VB" : "";
}

export function showTagger(main, { model, state, update }) {
  const { columns, labels } = model.info.tagger;
  const folder = model.info.paths.tagger ?? "TAGGER";
  const lead = columns > 1
    ? `One token a line with its ${columns} columns, as “He PRP”; an empty line ends a sentence. Each label has its marginal probability.`
    : "Words with spaces between them, a sentence a paragraph. Each label has its marginal probability.";
  documentForm(main, "Tagger", lead, state.text ?? tokenLines(columns), "tag", (result, answer, text) => {
    update({ text });
    const kinds = [...new Set(labels.map((label) => label.replace(/^[BIES]-/, "")))];
    const cards = answer.sentences.map((tokens) => make("div", { className: "card" }, make("div", { className: "words" },
      tokens.map((token) => {
        const p = token.p[labels.indexOf(token.label)];
        const c = kinds.indexOf(token.label.replace(/^[BIES]-/, ""));
        const order = token.p.map((value, k) => [value, labels[k]]).sort((a, b) => b[0] - a[0]).slice(0, 4);
        return make("button", { type: "button", style: { background: token.label === "O" ? "transparent" : tint(c, p) },
          title: order.map(([value, name]) => `${name} ${percent(value)}`).join(", ") },
        token.columns[0], make("small", {}, `${token.label} ${percent(p)}`));
      }))));
    const sentences = answer.sentences.map((tokens) => tokens[0].columns.map((_, c) => tokens.map((token) => token.columns[c])));
    const lines = answer.sentences.flatMap((tokens) => [...tokens.map((token) => token.columns.join(" ")), ""]);
    replace(result, cards, copyBar(`from pathlib import Path\nfrom wordrbm.tagging.tagger_file import load_tagger\n` +
      `load_tagger(Path(${pythonString(folder)})).tag(${JSON.stringify(sentences)})`,
    pipedCommand(lines, `wordrbm tagger predict ${shellQuote(folder)}`)));
  });
}
