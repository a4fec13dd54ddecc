// Tags and their cards: hover, focus or tap shows the excerpt; Escape closes; the pointer may move in.

const OPEN_AFTER = 60;
const CLOSE_AFTER = 220;

const card = document.createElement("div");
card.className = "card";
card.id = "citation-card";
card.popover = "manual";
card.setAttribute("role", "dialog");
document.body.append(card);

let tag = null;
let timer = 0;
let request = null;
let touched = false;

const tagOf = (event) => event.target.closest?.("a.cite[data-card]");

function later(task, wait) {
  clearTimeout(timer);
  timer = setTimeout(task, wait);
}

function skeleton() {
  card.innerHTML =
    '<div class="pressing"><span class="skeleton"></span><span class="skeleton"></span><span class="skeleton"></span><span class="skeleton short"></span></div>';
}

async function open(wanted) {
  clearTimeout(timer);
  if (tag === wanted && card.matches(":popover-open")) return;
  close();
  tag = wanted;
  tag.classList.add("is-open");
  tag.setAttribute("aria-describedby", card.id);
  card.setAttribute("aria-label", tag.textContent.trim());
  skeleton();
  card.showPopover();
  place();
  request = new AbortController();
  try {
    const response = await fetch(tag.dataset.card, {
      headers: { "HX-Request": "true" },
      signal: request.signal,
    });
    if (tag !== wanted) return;
    if (!response.ok) throw new Error(String(response.status));
    card.innerHTML = await response.text();
    htmx.process(card);
    arrived();
  } catch (error) {
    if (error.name !== "AbortError" && tag === wanted) close();
  }
}

function arrived() {
  const body = card.querySelector("[data-card-status]");
  if (!body || !tag) return;
  tag.dataset.status = body.dataset.cardStatus;
  cover(body.dataset.claim);
  place();
}
card.addEventListener("htmx:afterSettle", arrived);

function close({ refocus = false } = {}) {
  clearTimeout(timer);
  request?.abort();
  if (card.matches(":popover-open")) card.hidePopover();
  if (!tag) return;
  tag.classList.remove("is-open");
  tag.removeAttribute("aria-describedby");
  if (refocus) {
    const back = tag;
    tag = null;
    quietly = true;
    back.focus();
    quietly = false;
  }
  tag = null;
  CSS.highlights?.delete("covered");
}
let quietly = false;

function place() {
  const at = [...tag.getClientRects()].at(-1);
  const { offsetWidth: width, offsetHeight: height } = card;
  const below = at.bottom + 8 + height < innerHeight || at.top < height + 16;
  const left = Math.min(Math.max(12, at.left + at.width / 2 - width / 2), innerWidth - width - 12);
  card.style.left = `${left}px`;
  card.style.top = `${below ? Math.min(at.bottom + 8, innerHeight - height - 8) : at.top - height - 8}px`;
}

// The part of the answer that the citation covers, underlined without touching the text.
function cover(claim) {
  if (!claim || !window.Highlight) return;
  const block = tag.closest("p, li, td, blockquote, h1, h2, h3, h4") ?? tag.parentElement;
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!(node.compareDocumentPosition(tag) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
    if (node.parentElement.closest("a.cite")) continue;
    const formula = node.parentElement.closest(".math");
    if (formula && nodes.at(-1)?.[0] === formula) continue;
    nodes.push([formula ?? node, text.length]);
    text += formula ? (formula.dataset.tex ?? formula.textContent).slice(2, -2) : node.data;
  }
  // A formula counts as its TeX, whatever stands around that.
  const said = [claim.trim(), claim.trim().replaceAll(/\$\$?|\\[()[\]]/g, "")].find((words) =>
    text.includes(words),
  );
  if (!said) return;
  const start = text.lastIndexOf(said);
  const point = (offset, isEnd) => {
    const [node, from] = nodes.findLast(([, begin]) => (isEnd ? begin < offset : begin <= offset));
    if (node.nodeType === Node.TEXT_NODE) return [node, Math.min(offset - from, node.data.length)];
    return [node.parentNode, [...node.parentNode.childNodes].indexOf(node) + (isEnd ? 1 : 0)];
  };
  const range = new Range();
  range.setStart(...point(start, false));
  range.setEnd(...point(start + said.length, true));
  CSS.highlights.set("covered", new Highlight(range));
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const wanted = tagOf(event);
  if (wanted) later(() => open(wanted), tag ? 0 : OPEN_AFTER);
  else if (card.contains(event.target)) clearTimeout(timer);
});
document.addEventListener("pointerout", (event) => {
  if (event.pointerType === "touch" || !tag) {
    if (!tag) clearTimeout(timer);
    return;
  }
  const from = tagOf(event) || card.contains(event.target);
  const to = event.relatedTarget;
  if (from && !(to && (card.contains(to) || to.closest?.("a.cite") === tag))) {
    later(() => {
      if (!card.contains(document.activeElement)) close();
    }, CLOSE_AFTER);
  }
});
document.addEventListener("focusin", (event) => {
  const wanted = tagOf(event);
  if (wanted && !quietly && wanted.matches(":focus-visible")) open(wanted);
  else if (tag && !card.contains(event.target) && event.target !== tag) close();
});
document.addEventListener("pointerdown", (event) => {
  touched = event.pointerType === "touch";
  if (tag && !card.contains(event.target) && !tagOf(event)) close();
});
// A finger has no hover: the first tap shows the card, its button opens the reader.
document.addEventListener(
  "click",
  (event) => {
    const wanted = tagOf(event);
    if (wanted && touched && !event.defaultPrevented) {
      event.preventDefault();
      event.stopImmediatePropagation();
      open(wanted);
    } else if (wanted || event.target.closest(".card [data-reader]")) {
      later(() => close(), 0);
    }
  },
  true,
);
document.addEventListener("keydown", (event) => {
  if (!tag) return;
  if (event.key === "Escape") {
    event.stopImmediatePropagation();
    close({ refocus: card.contains(document.activeElement) });
  } else if (event.key === "Tab" && document.activeElement === tag && !event.shiftKey) {
    const first = card.querySelector("a, button");
    if (first) {
      event.preventDefault();
      first.focus();
    }
  } else if (event.key === "Tab" && card.contains(document.activeElement)) {
    const stops = [...card.querySelectorAll("a, button")];
    const at = stops.indexOf(document.activeElement) + (event.shiftKey ? -1 : 1);
    event.preventDefault();
    if (stops[at]) stops[at].focus();
    else close({ refocus: true });
  }
});
document.addEventListener(
  "scroll",
  () => tag && !card.contains(document.activeElement) && close(),
  true,
);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy-citation]");
  if (!button) return;
  const part = (name) => card.querySelector(name)?.textContent.trim() ?? "";
  const where = [...card.querySelectorAll(".card-where span")].map((span) =>
    span.textContent.trim(),
  );
  await navigator.clipboard.writeText(
    `${part(".card-excerpt")}\n${[part(".card-title"), ...where].join(", ")}`,
  );
  button.querySelector("span").textContent = button.dataset.copied;
});

// Tags beyond the third wait behind a button.
document.addEventListener("click", (event) => {
  const button = event.target.closest(".cites-more");
  if (!button) return;
  button.setAttribute("aria-expanded", "true");
  button.nextElementSibling.hidden = false;
  button.hidden = true;
  button.nextElementSibling.querySelector("a")?.focus();
});
