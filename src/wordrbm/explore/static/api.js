// Questions to the server, or to the data inside an exported page.

const embedded = document.getElementById("exported");
export const exported = embedded ? JSON.parse(embedded.textContent) : null;

async function answerOf(response) {
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error || `The server answered ${response.status}; ask again.`);
}

async function send(path, options) {
  const unreachable = () => {
    throw new Error("The server does not answer; start wordrbm explore again, then reload this page.");
  };
  const failed = (error) => (error.name === "AbortError" ? Promise.reject(error) : unreachable());
  return answerOf(await fetch(path, options).catch(failed));
}

function needsServer() {
  throw new Error("This needs the model: run wordrbm explore on its folder and open the page it prints.");
}

export async function report(name) {
  if (exported) return exported.reports[name] ?? needsServer();
  return (await send(`/api/${name}`)).json();
}

export async function mapBytes() {
  if (!exported) return (await send("/api/map")).arrayBuffer();
  return decodeBytes(exported.map).buffer;
}

export function decodeBytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export async function ask(name, body, signal) {
  if (exported) return answerExported(name, body);
  return (await post(name, body, signal)).json();
}

function post(name, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return send(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export async function* stream(name, body, signal) {
  if (exported) needsServer();
  const reader = (await post(name, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

function answerExported(name, body) {
  if (name === "unit") return exported.units[body.unit] ?? needsServer();
  if (name === "neighbours") return exportedNeighbours(body);
  return needsServer();
}

function exportedNeighbours({ word, count }) {
  const { words, counts } = exported.reports.words;
  const id = words.indexOf(word);
  if (id < 0) throw new Error(`The word ${JSON.stringify(word)} is not among the words of this map.`);
  exported.near ??= new Int32Array(decodeBytes(exported.neighbours).buffer);
  exported.cosines ??= decodeBytes(exported.cosine);
  const width = exported.near.length / words.length;
  const neighbours = [];
  for (let k = id * width; k < id * width + Math.min(count, width); k++) {
    const cosine = exported.cosines[k] / 127.5 - 1;
    neighbours.push({ word: words[exported.near[k]], id: exported.near[k], cosine });
  }
  return { word, id, count: counts[id], neighbours };
}
