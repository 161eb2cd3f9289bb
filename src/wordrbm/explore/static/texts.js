// The view of texts: every word coloured by its surprisal, and the words that fit a blank.
import { ask } from "./api.js";
import { copyBar, pipedCommand, pythonString, shellWords, shellQuote } from "./copy.js";
import { bar, make, percent, replace, showError, showLoading, table } from "./dom.js";
import { ScatterPlot } from "./scatter.js";
import { litColours, rampLegend } from "./words.js";

export const EXAMPLE = "the prime minister said on monday that the government will not raise taxes";
const DARKEST = 12; // nats at which a word is fully coloured

export function showText(main, { model, state, update }) {
  const input = make("textarea", { rows: 2, "aria-label": "Text", spellcheck: "false" });
  input.value = state.text ?? EXAMPLE;
  const result = make("div", {});
  const chosen = make("div", {});
  let request = null;
  const read = () => (/_{2,}/.test(input.value) ? fill({ text: input.value, count: 10 }) : score());
  const go = () => {
    delete state.at;
    read();
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      go();
    }
  });
  replace(main,
    make("h2", {}, "Text"),
    make("p", { className: "lead" }, "Every word is coloured by its surprisal, −log P(word | the rest of the text), " +
      "exact over the whole vocabulary. Click a word to see what the model would rather have there, or write ___ for a blank."),
    input,
    make("div", { className: "row" },
      make("button", { className: "primary", type: "button", onclick: go }, "Read"),
      make("button", { type: "button", onclick: () => { input.value = "the ___ minister said on ___ that"; go(); } }, "Try blanks")),
    result, chosen);
  if (input.value.trim()) read();

  async function begin(name, body, place, text) {
    request?.abort();
    request = new AbortController();
    showLoading(place, text);
    return ask(name, body, request.signal);
  }

  async function score() {
    replace(chosen);
    update({ text: input.value, at: state.at });
    try {
      showScore(await begin("score", { text: input.value }, result, "Reading …"));
    } catch (error) {
      showError(result, error);
    }
  }

  function showScore(answer) {
    if (!answer.words.length) {
      const n = model.info.sizes.n;
      replace(result, make("p", { className: "note" },
        `A window of this model has ${n} words and the text ${answer.tokens.length}: write ${n} or more.`));
      return;
    }
    const words = answer.words.map((word, t) => make("button", {
      type: "button", "aria-pressed": "false", className: word.id ? "" : "unknown",
      style: { background: `rgba(var(--heat), ${Math.min(word.nats / DARKEST, 1) * 0.5})` },
      title: `p = ${word.p.toPrecision(3)}, ${word.nats.toFixed(2)} nats; by frequency alone ${word.unigram_nats.toFixed(2)}` +
        (word.id ? "" : "; not in the vocabulary, read as <unk>"),
      onclick: (event) => prefer(event.currentTarget, answer, t, true),
    }, word.word, make("small", {}, percent(word.p))));
    const folder = model.info.paths.model;
    replace(result,
      make("div", { className: "card" }, make("div", { className: "words" }, words),
        make("p", { className: "note" }, `Perplexity ${answer.perplexity.toFixed(1)} · mean free energy of ` +
          `${answer.windows} windows ${answer.free_energy.toFixed(2)} · under each word its probability.`),
        copyBar(
          `import wordrbm\nnext(wordrbm.load(${pythonString(folder)}).score([${pythonString(input.value)}], top_words=${answer.words.length}))`,
          pipedCommand([input.value.replace(/\s+/g, " ")], `wordrbm score ${shellQuote(folder)} --words ${answer.words.length}`)),
        heatLegend()));
    const at = state.at === undefined ? mostSurprising(answer.words) : Number(state.at);
    if (words[at]) prefer(words[at], answer, at);
  }

  function mostSurprising(words) {
    const nats = words.map((word) => (word.id ? word.nats : 0));
    return nats.indexOf(Math.max(...nats));
  }

  function heatLegend() {
    const [light, full] = [0, 0.5].map((alpha) => `rgba(var(--heat), ${alpha})`);
    return make("div", { className: "legend" }, make("span", {}, "0",
      make("span", { className: "ramp", style: { background: `linear-gradient(90deg, ${light}, ${full})` } }), `${DARKEST} nats or more`));
  }

  function prefer(button, { tokens, words }, t, isChosen = false) {
    if (isChosen) update({ text: input.value, at: (state.at = t) });
    for (const other of result.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    fill({ tokens: tokens.map((token, i) => (i === t ? null : token)), count: 10 }, chosen, words[t]);
  }

  async function fill(body, place = result, word = null) {
    if (place === result) {
      replace(chosen);
      update({ text: input.value });
    }
    try {
      showBlanks(await begin("fill", body, place, "Asking all words …"), place, word);
    } catch (error) {
      showError(place, error);
    }
  }

  function showBlanks(answer, place, word) {
    const holder = make("div", { className: "card map low" });
    const show = (blank) => {
      const lit = new Map(blank.ids.map((id, i) => [id, blank.p[i]]));
      plot.describe = (id) => `${model.words[id]} · ${percent(lit.get(id) ?? 0)}`;
      plot.paint(litColours(model, blank.ids, blank.p));
      plot.mark(blank.ids.slice(0, 10));
    };
    const cards = answer.blanks.map((blank) => make("div", { className: "card" },
      make("h3", {}, word ? `Instead of “${word.word}”` : `Word ${blank.position + 1}`),
      word ? make("p", { className: "note" }, `“${word.word}” itself: p = ${word.p.toPrecision(3)}, ${word.nats.toFixed(2)} nats; ` +
        `by frequency alone ${word.unigram_nats.toFixed(2)} nats.`) : null,
      table(`Words for blank at ${blank.position + 1}`,
        [{ name: "word" }, { name: "" }, { name: "probability", number: true }],
        [...blank.words.map(([word, p]) => [word, bar(p / blank.words[0][1], percent(p)), percent(p)]),
          ["any other word, <unk>", "", percent(blank.unknown)]]),
      answer.blanks.length > 1
        ? make("button", { type: "button", onclick: () => show(blank) }, "Light the map") : null));
    const text = answer.tokens.map((token) => token ?? "___").join(" ");
    const folder = model.info.paths.model;
    const others = { marginal: "the other blanks summed out", map: "the other blanks at their likeliest words" }[answer.method];
    replace(place,
      word ? null : make("div", { className: "card" }, make("div", { className: "words" }, answer.filled.map((token, i) =>
        make("span", { className: answer.tokens[i] === null ? "blank" : "" }, token))),
      make("p", { className: "note" }, answer.blanks.length > 1 ? `The likeliest words together. Below, each blank with ${others}.` : "The likeliest word.")),
      make("div", { className: "split" }, make("div", {}, holder,
        make("div", { className: "legend" }, rampLegend("10⁻⁶", "1", "probability of a word here"))),
      make("div", {}, cards)),
      copyBar(`import wordrbm\nwordrbm.load(${pythonString(folder)}).fill([${answer.tokens.map((token) => (token === null ? "None" : pythonString(token))).join(", ")}])`,
        `wordrbm fill ${shellQuote(folder)} ${shellWords([text])}`));
    const plot = new ScatterPlot(holder, model.places, model.words, () => {});
    show(answer.blanks[0]);
  }
}
