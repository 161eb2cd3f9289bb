// A scatter plot of all words, drawn pixel by pixel into a canvas: quick without a graphics card.
import { paper } from "./colours.js";
import { make } from "./dom.js";

const LABEL_AREA = 8500; // pixels of the map for each word that is written on it

// The pixels of a disc, as distances from its upper left one in an image of some width.
function discOffsets(size, width) {
  const offsets = [];
  for (let row = 0; row < size; row++) {
    const half = Math.sqrt((size / 2) ** 2 - (row + 0.5 - size / 2) ** 2);
    const inset = Math.round(size / 2 - half);
    for (let column = inset; column < size - inset; column++) offsets.push(row * width + column);
  }
  return offsets;
}

export class ScatterPlot {
  constructor(holder, places, words, onPick) {
    Object.assign(this, { holder, places, words, onPick, x: 0, y: 0, zoom: 1, marked: [], colour: null });
    this.canvas = make("canvas", {
      tabindex: "0", role: "application",
      "aria-label": `Map of ${words.length} words. Arrow keys move it, plus and minus zoom, 0 shows all.`,
    });
    this.over = make("canvas", { "aria-hidden": "true", style: { pointerEvents: "none" } });
    this.tip = make("div", { className: "tip", hidden: true });
    holder.replaceChildren(this.canvas, this.over, this.tip);
    this.colours = new Uint32Array(words.length).fill(0xff888888);
    this.listen();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(holder);
    this.resize();
  }

  listen() {
    const pointers = new Map();
    let moved = 0;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
      moved = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event);
      moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
      this.drag(pointers, before, event);
      pointers.set(event.pointerId, event);
    });
    const end = (event) => {
      const one = pointers.size === 1;
      pointers.delete(event.pointerId);
      if (event.type === "pointerup" && one && moved < 6) this.pick(event);
    };
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, end);
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY * 0.0016));
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  drag(pointers, before, event) {
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
      const distance = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
      return this.zoomAt(event.offsetX, event.offsetY, distance(event) / distance(before));
    }
    this.x += event.clientX - before.clientX;
    this.y += event.clientY - before.clientY;
    this.draw();
  }

  key(event) {
    const step = { ArrowLeft: [50, 0], ArrowRight: [-50, 0], ArrowUp: [0, 50], ArrowDown: [0, -50] }[event.key];
    const factor = { "+": 1.3, "=": 1.3, "-": 1 / 1.3 }[event.key];
    if (!step && !factor && event.key !== "0") return;
    event.preventDefault();
    if (step) [this.x, this.y] = [this.x + step[0], this.y + step[1]];
    else if (factor) return this.zoomAt(this.width / 2, this.height / 2, factor);
    else [this.x, this.y, this.zoom] = [0, 0, 1];
    this.draw();
  }

  zoomAt(left, top, factor) {
    const zoom = Math.max(0.5, Math.min(400, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.x = (this.x - left + this.width / 2) * ratio + left - this.width / 2;
    this.y = (this.y - top + this.height / 2) * ratio + top - this.height / 2;
    this.zoom = zoom;
    this.draw();
  }

  // Centres a word, as near as its neighbours allow.
  show(id, neighbours) {
    const away = neighbours.map((other) => Math.hypot(
      this.places[2 * other] - this.places[2 * id], this.places[2 * other + 1] - this.places[2 * id + 1]));
    const middle = away.sort((a, b) => a - b)[away.length >> 1] || 32767;
    this.zoom = Math.max(4, Math.min(10, (0.5 * 32767) / middle));
    const [left, top] = this.position(id);
    this.x += this.width / 2 - left;
    this.y += this.height / 2 - top;
    this.draw();
  }

  resize() {
    const { width, height } = this.holder.getBoundingClientRect();
    if (!width || !height) return;
    [this.width, this.height] = [Math.floor(width), Math.floor(height)];
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = this.width * this.ratio;
      canvas.height = this.height * this.ratio;
    }
    this.image = this.canvas.getContext("2d", { alpha: false }).createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.draw();
  }

  scale() {
    return (this.zoom * Math.min(this.width, this.height) * 0.48) / 32767;
  }

  position(id) {
    const scale = this.scale();
    return [
      this.places[2 * id] * scale + this.x + this.width / 2,
      -this.places[2 * id + 1] * scale + this.y + this.height / 2,
    ];
  }

  paint(colours) {
    this.colours = colours;
    this.draw();
  }

  mark(ids) {
    this.marked = ids;
    this.draw();
  }

  draw() {
    if (this.pending || !this.pixels) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.drawPoints();
      this.drawLabels();
      this.frames = (this.frames || 0) + 1;
    });
  }

  drawPoints() {
    const { pixels, places, colours, ratio } = this;
    const [W, H] = [this.canvas.width, this.canvas.height];
    const [r, g, b] = paper();
    pixels.fill((255 << 24) | (b << 16) | (g << 8) | r);
    const scale = this.scale() * ratio;
    const [dx, dy] = [(this.x + this.width / 2) * ratio, (this.y + this.height / 2) * ratio];
    const size = Math.round((this.zoom > 12 ? 6 : this.zoom > 2.5 ? 4 : 2) * ratio);
    const [offsets, half] = [discOffsets(size, W), size / 2];
    for (let i = places.length / 2 - 1; i >= 0; i--) {
      const x = (places[2 * i] * scale + dx - half) | 0;
      const y = (dy - places[2 * i + 1] * scale - half) | 0;
      if (x < 0 || y < 0 || x >= W - size || y >= H - size) continue;
      const [colour, start] = [colours[i], y * W + x];
      for (let k = 0; k < offsets.length; k++) pixels[start + offsets[k]] = colour;
    }
    this.canvas.getContext("2d", { alpha: false }).putImageData(this.image, 0, 0);
  }

  drawLabels() {
    const context = this.over.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const style = getComputedStyle(this.holder);
    context.textAlign = "center";
    context.lineJoin = "round";
    const taken = [];
    const write = (id, bold) => {
      const [left, top] = this.position(id);
      if (left < 0 || top < 0 || left > this.width || top > this.height) return false;
      context.font = `${bold ? "600 13px" : "12px"} system-ui, sans-serif`;
      const half = context.measureText(this.words[id]).width / 2 + 4;
      const isClear = (x, y) => taken.every(([a, b, w]) => Math.abs(a - x) > w + half || Math.abs(b - y) > 17);
      const around = [[0, -5], [0, 18], [0, -22], [0, 35], [half + 8, 4], [-half - 8, 4], [0, -39], [0, 52]];
      const free = (bold ? around : around.slice(0, 1)).find(([x, y]) => isClear(left + x, top + y));
      if (!free) return false;
      const [x, y] = [left + free[0], top + free[1]];
      taken.push([x, y, half]);
      context.lineWidth = 3.5;
      context.strokeStyle = `rgb(${paper().join(",")})`;
      context.strokeText(this.words[id], x, y);
      context.fillStyle = bold ? style.getPropertyValue("--accent") : style.color;
      context.fillText(this.words[id], x, y);
      return true;
    };
    for (const id of this.marked) {
      const [left, top] = this.position(id);
      context.beginPath();
      context.arc(left, top, 5, 0, 7);
      context.lineWidth = 2;
      context.strokeStyle = style.getPropertyValue("--accent");
      context.stroke();
    }
    this.marked.forEach((id) => write(id, true));
    const most = Math.round((this.width * this.height) / LABEL_AREA);
    for (let id = 1, written = 0; id < this.words.length && written < most; id++) {
      if (write(id, false)) written++;
    }
  }

  nearest(left, top, reach = 12) {
    const scale = this.scale();
    const x = (left - this.x - this.width / 2) / scale;
    const y = -(top - this.y - this.height / 2) / scale;
    let [best, closest] = [-1, (reach / scale) ** 2];
    for (let i = 0; i < this.words.length; i++) {
      const distance = (this.places[2 * i] - x) ** 2 + (this.places[2 * i + 1] - y) ** 2;
      if (distance < closest) [best, closest] = [i, distance];
    }
    return best;
  }

  hover(event) {
    const id = this.nearest(event.offsetX, event.offsetY);
    this.tip.hidden = id < 0;
    if (id < 0) return;
    this.tip.textContent = this.describe ? this.describe(id) : this.words[id];
    this.tip.style.left = `${Math.min(event.offsetX, this.width - 150)}px`;
    this.tip.style.top = `${event.offsetY}px`;
  }

  pick(event) {
    const id = this.nearest(event.offsetX, event.offsetY, 18);
    if (id >= 0) this.onPick(id);
  }
}
