// Colours of clusters and scales, legible on light and on dark paper.

export const CLUSTER_COLOURS = [
  "#4269d0", "#e0791f", "#d4434f", "#2f9e8f", "#3d8f3d", "#a463f2",
  "#c24d9a", "#8a6b4f", "#5f7185", "#a48a00", "#00819e", "#7a5fc0",
];
// Viridis without its ends, so that no point fades into the paper.
const LIGHT = [[186, 208, 130], [72, 170, 120], [38, 120, 142], [58, 66, 134], [62, 12, 80]];
const DARK = [[58, 66, 110], [48, 104, 142], [53, 160, 130], [144, 205, 90], [250, 230, 80]];

export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

export function paper() {
  return isDark() ? [28, 34, 40] : [255, 255, 255];
}

export function hexColour(text) {
  return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
}

export function scaleColour(share) {
  const stops = isDark() ? DARK : LIGHT;
  const at = Math.max(0, Math.min(0.9999, share)) * (stops.length - 1);
  const [low, high] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  return low.map((value, i) => Math.round(value + (high[i] - value) * (at % 1)));
}

export function css(colour) {
  return `rgb(${colour.join(",")})`;
}
