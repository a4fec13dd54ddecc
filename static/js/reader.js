// The reader: opens beside the conversation, loads text layers as pages come near, zooms, finds pages.

const shell = document.querySelector(".shell");
const content = document.querySelector("#reader-content");
const main = document.querySelector("#main");
const project = location.pathname.match(/^\/p\/[\w-]+\//)?.[0];
const ZOOMS = [0.6, 0.8, 1, 1.25, 1.5, 2, 3];
const HASH = "#read=";
const LONGEST_SEARCH = 400;

let origin = null;
let pushed = false;

const reader = () => document.querySelector("[data-reader-root]");
const opensHere = () => Boolean(document.querySelector("[data-conversation], [data-opens-reader]"));

// Opening and closing

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cite, a[data-reader]");
  if (!link || !opensHere() || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (link.matches(".cite, [data-hit]")) origin = link;
  open(link.getAttribute("href"), { step: Boolean(link.closest("#reader")) });
});

async function open(address, { step = false, record = true } = {}) {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(project)) return;
  keepingPlace(() => shell.classList.add("reading"));
  document.querySelector('[data-show-pane="reader"]').hidden = false;
  document.dispatchEvent(new CustomEvent("lito:show-pane", { detail: "reader" }));
  if (!step) skeleton();
  if (record) {
    const hash = HASH + encodeURIComponent(url.pathname.slice(project.length) + url.search);
    if (step || pushed) history.replaceState({ reader: true }, "", hash);
    else history.pushState({ reader: true }, "", hash);
    pushed = true;
  }
  await htmx.ajax("GET", url.pathname + url.search, { target: content, swap: "innerHTML" });
}

function close({ back = true } = {}) {
  if (!shell.classList.contains("reading")) return;
  keepingPlace(() => shell.classList.remove("reading"));
  content.replaceChildren();
  document.querySelector('[data-show-pane="reader"]').hidden = true;
  document.dispatchEvent(new CustomEvent("lito:show-pane", { detail: "main" }));
  if (back && pushed) history.back();
  else if (back) history.replaceState(null, "", location.pathname + location.search);
  pushed = false;
  if (origin?.isConnected) {
    origin.focus({ preventScroll: innerWidth >= 720 });
    if (innerWidth < 720) origin.scrollIntoView({ block: "center" });
  }
}

// The line that the eye is on stays where it is while the column gets narrower or wider.
function keepingPlace(change) {
  const anchor = visibleAnchor();
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor && main) main.scrollTop += anchor.getBoundingClientRect().top - before;
}

function visibleAnchor() {
  if (origin?.isConnected) {
    const { top, bottom } = origin.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) return origin;
  }
  return [...document.querySelectorAll(".answer > *, .question, .hit")].find(
    (block) => block.getBoundingClientRect().bottom > 60,
  );
}

function skeleton() {
  const blank = document.createElement("div");
  blank.className = "reader-skeleton";
  blank.innerHTML =
    '<span class="skeleton"></span><span class="skeleton short"></span><div class="sheet-blank"></div>';
  content.replaceChildren(blank);
}

function fromHash() {
  if (!opensHere()) return;
  if (location.hash.startsWith(HASH)) {
    const path = decodeURIComponent(location.hash.slice(HASH.length));
    open(new URL(project + path, location.origin).href, { record: false });
  } else close({ back: false });
}
addEventListener("popstate", () => {
  pushed = false;
  fromHash();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close-reader]") && opensHere()) {
    event.preventDefault();
    close();
  }
});

// A reader that has just come

const TONES = ["white", "sepia", "dark"];
const TONE = "lito-paper";

function tone(root, step = 0) {
  const kept = TONES.indexOf(localStorage.getItem(TONE));
  const wanted = TONES[(Math.max(kept, 0) + step) % TONES.length];
  root.dataset.paper = wanted;
  if (step) localStorage.setItem(TONE, wanted);
}
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-paper-tone]")) tone(reader(), 1);
});

function start(root) {
  tone(root);
  const sheets = root.querySelector("[data-sheets]");
  if (!sheets) return;
  fitImages(root);
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) addLayer(root, entry.target);
    },
    { root: sheets, rootMargin: "60% 0px" },
  );
  const seen = new Map();
  const current = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRect } of entries) seen.set(target, intersectionRect.height);
      const [sheet] = [...seen].reduce((a, b) => (b[1] > a[1] ? b : a));
      showPageNumber(root, sheet);
    },
    { root: sheets, threshold: [0, 0.25, 0.5, 0.75, 1] },
  );
  for (const sheet of sheets.querySelectorAll(".sheet")) {
    near.observe(sheet);
    current.observe(sheet);
  }
  toPlace(root, { arriving: true });
}

// Pages that come into view get their true height and push what follows: hold on for some frames.
function hold(scroll, frames = 8) {
  scroll();
  if (frames) requestAnimationFrame(() => hold(scroll, frames - 1));
}

function toPlace(root, { arriving = false } = {}) {
  const sheets = root.querySelector("[data-sheets]");
  const first = root.querySelector(".mark-pen rect");
  const sheet = root.querySelector(`#page-${root.dataset.page}`);
  if (first) {
    hold(() => {
      first.closest(".sheet").scrollIntoView({ block: "start" });
      const at = first.getBoundingClientRect();
      const box = sheets.getBoundingClientRect();
      sheets.scrollTop += at.top - box.top - box.height * 0.3;
      sheets.scrollLeft += at.left - box.left - box.width * 0.2;
    });
    if (arriving) for (const pen of root.querySelectorAll(".mark-pen")) arrive(pen);
  } else if (sheet) hold(() => sheet.scrollIntoView({ block: "start" }));
}

// A mark comes with its page: never bars on a blank sheet.
async function arrive(pen) {
  pen.classList.add("waiting");
  try {
    await pen.closest(".sheet-paper").querySelector("img").decode();
  } catch {
    // A page that can't be drawn says so by its alternative text.
  }
  pen.classList.replace("waiting", "arriving");
}

async function addLayer(root, sheet) {
  const paper = sheet.querySelector(".sheet-paper");
  if (paper.dataset.layered || paper.querySelector(".layer")) return;
  paper.dataset.layered = "yes";
  const response = await fetch(root.dataset.layer.replace("/0/", `/${sheet.dataset.number}/`));
  if (!response.ok) return;
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  paper.append(holder.content);
}

function showPageNumber(root, sheet) {
  const asRead = root.querySelector("[data-as-read-link]");
  asRead.href = asRead.dataset.asReadLink.replace("/0/", `/${sheet.dataset.number}/`);
  const input = root.querySelector(".go-to input");
  if (input && document.activeElement !== input) {
    input.value = sheet.dataset.number;
    const { label, number } = sheet.dataset;
    const printed = root.querySelector("[data-printed]");
    const words = printed.dataset.words.replace("{}", label);
    printed.textContent = label && label !== number ? words : "";
  }
}

function fitImages(root) {
  const sheets = root.querySelector("[data-sheets]");
  const zoom = Number(getComputedStyle(root).getPropertyValue("--zoom")) || 1;
  const width = `${Math.round(Math.min(sheets.clientWidth, 928) * zoom)}px`;
  for (const image of sheets.querySelectorAll(".sheet-paper > img")) image.sizes = width;
}
document.addEventListener("lito:resized", () => reader() && fitImages(reader()));

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target === content || event.detail.target === content) {
    const root = reader();
    if (root) start(root);
  } else if (event.target.closest?.("[data-reader-root]") && event.target.id === "evidence") {
    toPlace(reader(), { arriving: true });
  }
});

// Zoom, pages, evidence

function zoom(direction) {
  const root = reader();
  const sheets = root?.querySelector("[data-sheets]");
  if (!sheets) return;
  const now = Number(root.style.getPropertyValue("--zoom")) || 1;
  const wanted =
    direction > 0 ? ZOOMS.find((step) => step > now) : ZOOMS.findLast((step) => step < now);
  if (!wanted) return;
  const x = (sheets.scrollLeft + sheets.clientWidth / 2) / sheets.scrollWidth;
  const y = (sheets.scrollTop + sheets.clientHeight / 2) / sheets.scrollHeight;
  root.style.setProperty("--zoom", wanted);
  sheets.scrollLeft = x * sheets.scrollWidth - sheets.clientWidth / 2;
  sheets.scrollTop = y * sheets.scrollHeight - sheets.clientHeight / 2;
  fitImages(root);
}

function goTo(root, wanted) {
  const sheets = [...root.querySelectorAll(".sheet")];
  const sheet =
    sheets.find(({ dataset }) => dataset.number === wanted) ??
    sheets.find(({ dataset }) => dataset.label === wanted);
  if (sheet) hold(() => sheet.scrollIntoView({ block: "start" }));
  return Boolean(sheet);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-zoom]");
  if (button) zoom(button.dataset.zoom === "in" ? 1 : -1);
  const link = event.target.closest("[data-go]");
  if (!link) return;
  event.preventDefault();
  goTo(reader(), link.dataset.go);
  const menu = link.closest("details");
  if (menu) menu.open = false;
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".go-to")) return;
  event.preventDefault();
  const input = event.target.elements.page;
  input.setAttribute("aria-invalid", String(!goTo(reader(), input.value.trim())));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const step = { j: "next", k: "previous" }[event.key];
  if (step) reader()?.querySelector(`[data-evidence-step="${step}"]`)?.click();
  else if (event.key === "+" || event.key === "=") zoom(1);
  else if (event.key === "-") zoom(-1);
  else if (event.key === "Escape" && opensHere()) close();
});

// Selecting text: what is copied is the page's text, line by line; the bar copies it with its citation.

function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const lines = [...(reader()?.querySelectorAll(".layer text") ?? [])]
    .filter((line) => range.intersectsNode(line))
    .map((line) => ({ line, text: partOf(line, range) }))
    .filter(({ text }) => text.length);
  return lines.length ? lines : null;
}

function partOf(line, range) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!range.intersectsNode(node)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.data.length;
    text += node.data.slice(from, to);
  }
  return text.replace(/\n$/, "");
}

const joined = (lines) => lines.map(({ text }) => text).join("\n");

// Lines read on, as the server says for each: joined by a space, by nothing, or without its hyphen.
const flowing = (lines) =>
  lines
    .map(({ line, text }, at) => {
      const joint = line.dataset.joint ?? " ";
      if (at === lines.length - 1) return text;
      return joint === "-" ? text.trimEnd().slice(0, -1) : text.trimEnd() + joint;
    })
    .join("")
    .replace(/\u00ad/g, "")
    .replace(/\s+/g, " ")
    .trim();

document.addEventListener("copy", (event) => {
  const lines = selected();
  if (!lines) return;
  event.clipboardData.setData("text/plain", joined(lines));
  event.preventDefault();
});

// Into the box below the conversation, else into that of a new question.
const ASKED = "lito-ask-about";
function ask(text, desk) {
  const box = document.querySelector("#question");
  if (!box) {
    sessionStorage.setItem(ASKED, text);
    location.assign(desk);
    return;
  }
  document.dispatchEvent(new CustomEvent("lito:show-pane", { detail: "main" }));
  box.value = text + box.value;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}
if (document.querySelector("#question") && sessionStorage.getItem(ASKED)) {
  const text = sessionStorage.getItem(ASKED);
  sessionStorage.removeItem(ASKED);
  ask(text);
}

let bar = null;
function hideBar() {
  bar?.remove();
  bar = null;
}
document.addEventListener("pointerdown", (event) => {
  if (bar && !bar.contains(event.target)) hideBar();
});
document.addEventListener("pointerup", (event) => {
  if (!event.target.closest?.(".layer")) return;
  setTimeout(() => {
    const lines = selected();
    const holder = document.querySelector("#selection-bar");
    if (!lines || !holder) return;
    hideBar();
    bar = holder.content.firstElementChild.cloneNode(true);
    document.body.append(bar);
    const box = getSelection().getRangeAt(0).getBoundingClientRect();
    bar.style.left = `${Math.max(8, Math.min(box.left, innerWidth - bar.offsetWidth - 8))}px`;
    bar.style.top = `${Math.max(8, box.top - bar.offsetHeight - 8)}px`;
    bar.querySelector("[data-ask-about]")?.addEventListener("click", ({ currentTarget }) => {
      const words = flowing(lines).slice(0, LONGEST_SEARCH);
      const quote = `${reader().dataset.quoteMarks.replace("{}", words)}\n`;
      hideBar();
      ask(quote, currentTarget.dataset.desk);
    });
    const find = bar.querySelector("[data-find-in-library]");
    if (find) find.search = new URLSearchParams({ q: flowing(lines).slice(0, LONGEST_SEARCH) });
    bar.querySelector("[data-copy-quote]").addEventListener("click", async () => {
      const root = reader();
      const sheet = lines[0].line.closest(".sheet");
      const quote = root.dataset.quoteMarks.replace("{}", flowing(lines));
      const page = root.dataset.pageWord.replace("{}", sheet.dataset.label || sheet.dataset.number);
      await navigator.clipboard.writeText(`${quote} (${root.dataset.cite}, ${page})`);
      bar.querySelector("span").textContent = root.dataset.copied;
      setTimeout(hideBar, 900);
    });
  });
});

fromHash();
const whole = document.querySelector(".whole [data-reader-root]");
if (whole) start(whole);
