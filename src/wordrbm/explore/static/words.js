// The view of words: the map of all of them, search, neighbours, colours.
import { ask } from "./api.js";
import { copyBar, pythonString, shellQuote, shellWords } from "./copy.js";
import { CLUSTER_COLOURS, css, hexColour, paper, scaleColour } from "./colours.js";
import { wordField } from "./completion.js";
import { bar, grouped, make, percent, replace, showError, table } from "./dom.js";
import { ScatterPlot } from "./scatter.js";

const STARTS = ["monday", "could", "london", "three", "increased", "british", "he", "bank"];

export function pixel([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

function faintPixel() {
  return pixel(paper().map((value) => Math.round(value + (128 - value) * 0.22)));
}

export function mapColours(model, by, group = null) {
  const { words, counts, clusters } = model;
  const colours = new Uint32Array(words.length);
  const ends = [Math.log(Math.max(1, counts[1] ?? 1)), Math.log(Math.max(1, counts.at(-1)))];
  const faint = faintPixel();
  const byCluster = CLUSTER_COLOURS.map((colour) => pixel(hexColour(colour)));
  for (let id = 0; id < words.length; id++) {
    const share = (Math.log(Math.max(1, counts[id])) - ends[1]) / (ends[0] - ends[1] || 1);
    colours[id] = by === "frequency" ? pixel(scaleColour(share)) : byCluster[clusters[id] % 12];
    if (group !== null && by !== "frequency" && clusters[id] !== group) colours[id] = faint;
  }
  return colours;
}

export function litColours(model, ids, p) {
  const colours = new Uint32Array(model.words.length).fill(faintPixel());
  ids.forEach((id, i) => (colours[id] = pixel(scaleColour(1 + Math.log10(p[i]) / 6))));
  return colours;
}

export function rampLegend(low, high, note) {
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => css(scaleColour(share)));
  const ramp = make("span", { className: "ramp", style: { background: `linear-gradient(90deg, ${stops})` } });
  return make("span", {}, low, ramp, high, note ? make("span", {}, note) : null);
}

export function showWords(main, { model, state, update }) {
  const folder = model.info.paths.model;
  const side = make("aside", { "aria-label": "Neighbours" });
  const legend = make("div", { className: "legend" });
  const holder = make("div", { className: "card map" });
  const field = wordField(model, "Search a word", (word) => look(word));
  const by = make("select", { "aria-label": "Colour of the points", onchange: () => recolour() },
    make("option", { value: "cluster" }, "by cluster"), make("option", { value: "frequency" }, "by frequency"));
  by.value = state.colour === "frequency" ? "frequency" : "cluster";
  replace(main,
    make("div", { className: "row" }, field.element, make("label", {}, "Colour ", by)),
    make("div", { className: "split" }, make("div", {}, holder, legend), side));
  const plot = new ScatterPlot(holder, model.places, model.words, (id) => look(model.words[id]));
  plot.describe = (id) => `${model.words[id]} · ${grouped(model.counts[id])} times`;
  window.wordMap = plot;
  recolour();
  intro();
  if (state.word) look(state.word);

  function choose(group) {
    state.group = Number(state.group ?? -1) === group ? undefined : group;
    recolour();
  }

  function recolour() {
    plot.paint(mapColours(model, by.value, state.group === undefined ? null : Number(state.group)));
    update({ ...state, colour: (state.colour = by.value) });
    const least = grouped(model.counts.at(-1));
    replace(legend, by.value === "frequency"
      ? [rampLegend(`${least} times`, `${grouped(model.counts[1] ?? 0)} times`)]
      : model.info.map.labels.map((words, i) => make("button", {
        type: "button", "aria-pressed": String(Number(state.group ?? -1) === i), title: "Show this cluster alone, or all",
        onclick: () => choose(i),
      }, make("span", { className: "swatch", style: { background: CLUSTER_COLOURS[i % 12] } }), words.join(", "))));
  }

  function intro() {
    const { map, sizes } = model.info;
    const others = map.points > map.embedded ? ", the others lie where their nearest neighbours do" : "";
    const left = sizes.K > map.points ? ` of ${grouped(sizes.K)}` : "";
    replace(side, make("div", { className: "card" }, make("h2", {}, "Words"),
      make("p", { className: "note" }, `${grouped(map.points)}${left} words. ${map.method} placed the ` +
        `${grouped(map.embedded)} most frequent${others}. Drag to move, scroll to zoom; a click or a ` +
        "search shows a word's neighbours; a cluster below the map can be shown alone."),
      make("h3", { className: "later" }, "Look at"),
      make("div", { className: "row" }, suggestions().map((word) =>
        make("button", { type: "button", onclick: () => look(word) }, word))),
      copyBar(`import wordrbm\nfrom wordrbm.analysis.embedding_map import compute_map\nmodel = wordrbm.load(${pythonString(folder)})\n` +
        "compute_map(model.vectors, model.vocabulary.probability()).xy", `wordrbm map ${shellQuote(folder)} --out map.png`)));
  }

  function suggestions() {
    const known = STARTS.filter((word) => model.words.includes(word));
    return [...known, ...model.info.map.labels.map((words) => words[0])].slice(0, 8);
  }

  async function look(word) {
    try {
      const answer = await ask("neighbours", { word, count: 12 });
      update({ ...state, word: (state.word = answer.word) });
      field.input.value = answer.word;
      const ids = [answer.id, ...answer.neighbours.map((row) => row.id)];
      const inside = ids.filter((id) => id < model.words.length);
      plot.mark(inside);
      if (answer.id < model.words.length) plot.show(answer.id, inside.slice(1));
      replace(side, card(answer));
    } catch (error) {
      showError(side, error);
    }
  }

  function card(answer) {
    const rows = answer.neighbours.map((row) => [
      make("button", { className: "link", type: "button", onclick: () => look(row.word) }, row.word),
      bar(row.cosine, `cosine ${row.cosine.toFixed(2)}`), row.cosine.toFixed(2)]);
    return make("div", { className: "card" }, make("h2", {}, answer.word),
      make("p", { className: "note" }, `${grouped(answer.count)} times in the text ` +
        `(${percent(answer.count / model.info.tokens)}). Its nearest words by cosine:`),
      table(`Neighbours of ${answer.word}`,
        [{ name: "word" }, { name: "" }, { name: "cosine", number: true }], rows),
      copyBar(
        `import wordrbm\nwordrbm.load(${pythonString(folder)}).vectors.most_similar(${pythonString(answer.word)}, 12)`,
        `wordrbm neighbours ${shellQuote(folder)} --count 12 ${shellWords([answer.word])}`));
  }
}
