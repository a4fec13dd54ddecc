// The conversation: follows running answers, asks follow-ups, stops, and keeps up with other tabs.

const main = document.querySelector("#main");
const followed = new Map();

const HEAD = 64;
const LATE = 1200; // milliseconds without a stream until the page speaks of it
const AGAIN = 3000; // milliseconds until it is tried again
let refusedAsBusy = false;

const atEnd = () => main.scrollHeight - main.scrollTop - main.clientHeight < 140;

// Down with the text, until the question stands at the top: reading begins at the beginning.
function toEnd() {
  const turns = document.querySelectorAll("[data-turn]");
  const top = turns.length ? turns[turns.length - 1].offsetTop - HEAD : 0;
  main.scrollTop = Math.min(main.scrollHeight - main.clientHeight, Math.max(top, main.scrollTop));
}

function keepingEnd(change) {
  const follow = atEnd();
  change();
  if (follow) toEnd();
}

function fragment(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

function follow(turn) {
  const { run, events } = turn.dataset;
  if (!events || followed.has(run)) return;
  const stream = new EventSource(events);
  followed.set(run, { stream, turn });
  busy();
  const on = (name, act) =>
    stream.addEventListener(name, (event) => {
      // Without data it is the connection's own error: EventSource comes back by itself.
      if (event.data !== undefined) keepingEnd(() => act(JSON.parse(event.data)));
    });
  stream.addEventListener("open", () => lost(turn, false));
  stream.addEventListener("error", (event) => {
    if (event.data !== undefined) return;
    lost(turn, true);
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => resume(turn), AGAIN);
  });
  on("step", (step) => showStep(turn, step));
  on("answer", ({ from, blocks }) => {
    const answer = turn.querySelector("[data-answer]");
    while (answer.children.length > from) answer.lastElementChild.remove();
    answer.append(fragment(blocks.join("")));
  });
  on("sources", ({ html }) => turn.querySelector("[data-sources]").replaceWith(fragment(html)));
  on("away", () => lost(turn, true));
  on("back", () => lost(turn, false));
  on("error", ({ message }) => showStep(turn, { text: message, detail: "" }));
  on("done", async ({ turn_url: address }) => {
    end(run);
    await settle(turn, address);
  });
}

function lost(turn, isLost) {
  clearTimeout(turn.waiting);
  const words = turn.querySelector("[data-lost]");
  if (!words) return;
  if (isLost) {
    turn.waiting = setTimeout(() => {
      words.hidden = false;
    }, LATE);
  } else words.hidden = true;
}

// A stream that was refused does not come back by itself: ask how the turn stands.
async function resume(turn) {
  if (!turn.isConnected) return;
  const { run, turnUrl } = turn.dataset;
  let status = 0;
  try {
    ({ status } = await fetch(turnUrl, { headers: { "HX-Request": "true" } }));
  } catch {
    // The server is still away.
  }
  if (status === 0 || status >= 500) setTimeout(() => resume(turn), AGAIN);
  else {
    end(run);
    if (status === 200) await settle(turn, turnUrl);
    followAll();
  }
}

function end(run) {
  followed.get(run)?.stream.close();
  followed.delete(run);
  busy();
  withdrawRefusal();
}

// The finished turn comes from stored rows; opened parts stay open.
async function settle(turn, address) {
  const response = await fetch(address, { headers: { "HX-Request": "true" } });
  if (response.ok) replace(turn, await response.text());
}

// The answer as it came, its formulas as TeX again (see math.js).
function asWritten(answer) {
  const copy = answer.cloneNode(true);
  for (const formula of copy.querySelectorAll("[data-tex]")) {
    formula.textContent = formula.dataset.tex;
    formula.removeAttribute("data-tex");
  }
  return copy.innerHTML;
}

function replace(turn, html) {
  if (!turn.isConnected) return;
  const wasOpen = turn.querySelector("[data-steps]")?.open;
  const fresh = fragment(html).firstElementChild;
  const answer = turn.querySelector("[data-answer]");
  const stored = fresh.querySelector("[data-answer]");
  // Equal text stays in place, so that a selection, an open card and the scroll position survive.
  if (answer && stored && asWritten(answer) === stored.innerHTML) stored.replaceWith(answer);
  const steps = fresh.querySelector("[data-steps]");
  if (steps && wasOpen) steps.open = true;
  keepingEnd(() => turn.replaceWith(fresh));
  htmx.process(fresh);
  document.dispatchEvent(new CustomEvent("lito:answered"));
}

function showStep(turn, { text, detail }) {
  const line = turn.querySelector("[data-step-line]");
  const list = turn.querySelector("[data-step-list]");
  if (!line || !list) return;
  line.textContent = text;
  const entry = document.createElement("li");
  const words = document.createElement("span");
  words.textContent = text;
  entry.append(words);
  if (detail) {
    const more = document.createElement("small");
    more.textContent = detail;
    entry.append(more);
  }
  list.append(entry);
}

function busy() {
  const going = followed.size > 0;
  const form = document.querySelector("[data-ask]");
  if (!form) return;
  form.querySelector(".send").hidden = going;
  form.querySelector("[data-stop]").hidden = !going;
}

// "Still being answered" holds as long as something is.
function withdrawRefusal() {
  if (!refusedAsBusy || followed.size) return;
  refusedAsBusy = false;
  document.querySelector("#ask-error")?.remove();
  document.querySelector("#question")?.removeAttribute("aria-invalid");
}

// What another tab asked in the meantime.
async function keepUp() {
  const turns = document.querySelector("#turns");
  if (!turns || document.hidden || new URLSearchParams(location.search).has("before")) return;
  const before = [...turns.children];
  let response;
  try {
    response = await fetch(location.pathname);
  } catch {
    return;
  }
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const shown = [...page.querySelectorAll("#turns > [data-turn]")];
  for (const fresh of shown) {
    const here = document.getElementById(fresh.id);
    const isSame = here?.dataset.run === fresh.dataset.run && here.className === fresh.className;
    if (isSame || (here && followed.has(here.dataset.run))) continue;
    document.adoptNode(fresh);
    if (here) here.replaceWith(fresh);
    else turns.append(fresh);
    htmx.process(fresh);
  }
  // Behind the last turn of the branch that is shown by now nothing of another one may stand.
  const last = document.getElementById(shown.at(-1)?.id);
  for (const turn of before) {
    const isBehind = last?.compareDocumentPosition(turn) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isBehind && !followed.has(turn.dataset.run)) turn.remove();
  }
  followAll();
  withdrawRefusal();
}

let lookedAt = performance.now();
function look() {
  if (document.hidden || performance.now() - lookedAt < 1000) return;
  lookedAt = performance.now();
  keepUp();
}
document.addEventListener("visibilitychange", look);
addEventListener("focus", look);

document.addEventListener("click", async (event) => {
  if (!event.target.closest("[data-stop]")) return;
  const turn = document.querySelector("[data-turn][data-stop-url]");
  if (!turn) return;
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.body.dataset.csrf);
  const { run, stopUrl } = turn.dataset;
  const headers = { "HX-Request": "true" };
  const response = await fetch(stopUrl, { method: "POST", body, headers });
  if (!response.ok || response.redirected) return;
  end(run);
  replace(turn, await response.text());
  followAll();
});

document.addEventListener("keydown", (event) => {
  if (!event.target.matches("#question") || event.key !== "Enter") return;
  if (event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (event.target.value.trim() && !followed.size) event.target.form.requestSubmit();
});

// A refused question comes back as the form itself; an accepted one as a new turn.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.requestConfig?.elt?.matches?.("[data-follow-up]")) return;
  const { status } = event.detail.xhr;
  if (status === 422 || status === 409) {
    refusedAsBusy = status === 409;
    if (refusedAsBusy) setTimeout(keepUp); // the refused form is gone by the end of its request
    event.detail.target = document.querySelector("#ask");
    event.detail.swapOverride = "outerHTML";
  }
});
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.requestConfig?.elt;
  if (!form?.matches?.("[data-follow-up]")) return;
  if (event.detail.successful) form.querySelector("#question").value = "";
});
document.addEventListener("htmx:load", followAll);

function followAll() {
  for (const [run, { turn }] of followed) if (!turn.isConnected) end(run);
  const turns = document.querySelectorAll("[data-turn][data-events]");
  for (const turn of turns) {
    if (!followed.has(turn.dataset.run)) {
      follow(turn);
      toEnd();
    }
  }
  busy();
}

followAll();
if (!location.hash && document.querySelector("#turns .turn + .turn")) {
  document.querySelector("#turns").lastElementChild.scrollIntoView({ block: "start" });
}
