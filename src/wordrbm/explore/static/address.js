// The state of a view in the address, so that a link shows the same again: #words?word=monday

export function readAddress() {
  const [view, query = ""] = decodeURI(location.hash.slice(1)).split("?");
  return { view: view || "words", state: Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] ?? query)) };
}

export function writeAddress(view, state) {
  const known = Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(known).toString();
  history.replaceState(null, "", `#${view}${query ? `?${query}` : ""}`);
}
