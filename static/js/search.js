// The library search: results come as one types; j and k go through the passages, Enter opens one.

const form = document.querySelector("#library-search");
const told = document.querySelector("[data-told]");
const shell = document.querySelector(".shell");

const hits = () => [...document.querySelectorAll("[data-hit]")];

// Nothing is searched for while an input method is still composing.
document.addEventListener(
  "input",
  (event) => {
    if (event.isComposing) event.stopPropagation();
  },
  true,
);
form.addEventListener("compositionend", (event) => {
  event.target.dispatchEvent(new Event("input", { bubbles: true }));
});

// The address says what is shown, without a step in the history for each letter.
function nameResults() {
  const said = [...new FormData(form)].filter(([, value]) => value.trim());
  const search = said.length ? `?${new URLSearchParams(said)}` : "";
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.requestConfig?.elt !== form) return;
  nameResults();
  told.textContent = document.querySelector("#results [data-tell]")?.textContent.trim() ?? "";
});
addEventListener("popstate", nameResults);

function step(direction) {
  const all = hits();
  const at = all.indexOf(document.activeElement.closest("[data-hit]") ?? current());
  const next = at < 0 ? all[0] : all[at + direction];
  if (!next) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  if (shell.classList.contains("reading")) next.click();
}

const current = () => document.querySelector("[data-hit].is-open");

document.addEventListener("click", (event) => {
  const hit = event.target.closest("[data-hit]");
  if (!hit) return;
  current()?.classList.remove("is-open");
  hit.classList.add("is-open");
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("#search-words") && event.key === "ArrowDown") {
    event.preventDefault();
    step(1);
    return;
  }
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const direction = { j: 1, k: -1 }[event.key];
  if (direction) step(direction);
});
