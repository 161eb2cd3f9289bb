// Curves by uPlot, in the colours of the page.
import { make } from "./dom.js";

export function chart(holder, title, x, series, { log = false, xlabel = "" } = {}) {
  const style = getComputedStyle(document.documentElement);
  const [ink, line] = [style.getPropertyValue("--soft"), style.getPropertyValue("--line")];
  const colours = [style.getPropertyValue("--accent"), style.getPropertyValue("--hot"), ink];
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: "11px system-ui" };
  const place = make("div", {});
  holder.append(make("figure", { className: "card", style: { margin: "0" }, "aria-label": title }, make("h3", {}, title), place));
  const options = {
    width: Math.max(260, place.clientWidth || 330), height: 190,
    scales: { x: { time: false, distr: xlabel === "steps" ? 3 : 1 }, y: { distr: log ? 3 : 1 } },
    axes: [{ ...axis, label: xlabel, labelSize: 18, labelFont: "11px system-ui" }, { ...axis, size: 56 }],
    legend: { live: false },
    series: [{ label: xlabel || "x" }, ...series.map(({ label }, i) => ({
      label, stroke: colours[i % 3], width: 1.8, dash: i ? [5, 4] : undefined, points: { size: 5 },
    }))],
  };
  return new uPlot(options, [x, ...series.map(({ values }) => values)], place);
}
