// Every page: menus, dividers, panes, keys, and small things that forms and links do better with script.

const root = document.documentElement;
const shell = document.querySelector(".shell");

// Menus close when one looks elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
  event.stopImmediatePropagation();
});

// Light and dark without a round trip.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-theme-switch]")) {
    event.preventDefault();
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
  } else if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) {
    event.preventDefault();
  }
});

document.addEventListener("change", (event) => {
  event.target.closest("[data-submit-on-change]")?.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const words = button.querySelector("span");
  if (words) words.textContent = button.dataset.copied;
});

for (const note of document.querySelectorAll("[data-passing]:not(.bad)")) {
  setTimeout(() => note.remove(), 6000);
}

// Dividers: drag, or arrow keys; the width is remembered.
const limits = { list: [180, 420], reader: [320, 1200] };

function setWidth(name, pixels) {
  const [least, most] = limits[name];
  const width = `${Math.round(Math.min(Math.max(pixels, least), most))}px`;
  root.style.setProperty(`--${name}-width`, width);
  localStorage.setItem(`lito-width-${name}`, width);
}

for (const divider of document.querySelectorAll("[data-divider]")) {
  const name = divider.dataset.divider;
  const pane = divider.parentElement;
  const sign = name === "reader" ? -1 : 1;
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.classList.add("dragging");
    const start = event.clientX;
    const width = pane.getBoundingClientRect().width;
    const move = (at) => setWidth(name, width + sign * (at.clientX - start));
    divider.addEventListener("pointermove", move);
    divider.addEventListener(
      "lostpointercapture",
      () => {
        divider.classList.remove("dragging");
        divider.removeEventListener("pointermove", move);
        document.dispatchEvent(new CustomEvent("lito:resized"));
      },
      { once: true },
    );
    event.preventDefault();
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
    if (!step) return;
    event.preventDefault();
    setWidth(name, pane.getBoundingClientRect().width + sign * step);
    document.dispatchEvent(new CustomEvent("lito:resized"));
  });
}

// On a phone one pane shows at a time.
function showPane(name) {
  if (!shell) return;
  shell.dataset.pane = name;
  for (const link of document.querySelectorAll("[data-show-pane]")) {
    if (link.dataset.showPane === name) link.setAttribute("aria-current", "true");
    else if (link.getAttribute("aria-current") === "true") link.removeAttribute("aria-current");
  }
}
document.addEventListener("lito:show-pane", (event) => showPane(event.detail));
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-show-pane]");
  if (!link) return;
  event.preventDefault();
  const wanted = link.dataset.showPane;
  showPane(wanted === "list" && shell.dataset.pane === "list" ? "main" : wanted);
});

// Keys. None of them acts while somebody writes.
let prefix = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  if (prefix === "g") {
    prefix = "";
    const target = { l: "/library/", s: "/search/", a: "/" }[event.key];
    const project = location.pathname.match(/^\/p\/[\w-]+/)?.[0];
    if (target && project) location.assign(project + target);
    return;
  }
  if (event.key === "g") {
    prefix = "g";
    setTimeout(() => {
      prefix = "";
    }, 900);
  } else if (event.key === "/") {
    const box = document.querySelector("[data-slash], #question");
    if (box) {
      event.preventDefault();
      showPane("main");
      box.focus();
    }
  } else if (event.key === "?") {
    document.querySelector("#keys")?.showModal();
  }
});

// A page that found no place to be drawn (503) is asked for again, a few times, ever later.
const MOST_TRIES = 4;
document.addEventListener(
  "error",
  ({ target: image }) => {
    if (!(image instanceof HTMLImageElement) || !image.closest(".reader, .as-read")) return;
    const tries = Number(image.dataset.tries ?? 0) + 1;
    if (tries > MOST_TRIES) return;
    image.dataset.tries = tries;
    const address = image.srcset ? "srcset" : "src";
    setTimeout(() => image.setAttribute(address, image.getAttribute(address)), 1500 * tries);
  },
  true,
);
