// Formulas: KaTeX is loaded with the first one and sets each as it comes. What it can't set stays TeX.

const here = document.querySelector("[data-katex-script]");
const LONGEST = 2000; // characters of a formula; a longer one stays as it is written
const options = {
  throwOnError: true,
  trust: false,
  strict: "ignore",
  maxSize: 20,
  maxExpand: 300,
  // Without style attributes, which the page's policy forbids.
  macros: { "\\pmb": "\\boldsymbol{#1}", "\\fcolorbox": "\\@firstoftwo{\\fbox{#3}}{#1#2}" },
};
let loading = null;

function load() {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = here.dataset.katexStyle;
  document.head.append(style);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = here.dataset.katexScript;
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}

function set(formula) {
  const written = formula.textContent;
  const tex = written.slice(2, -2); // between \( and \), or \[ and \]
  if (tex.length > LONGEST) return;
  const place = document.createElement("span");
  try {
    katex.render(tex, place, { ...options, displayMode: formula.classList.contains("block") });
  } catch {
    return;
  }
  formula.dataset.tex = written;
  formula.replaceChildren(...place.childNodes);
}

async function setAll() {
  if (!document.querySelector(".answer .math:not([data-tex])")) return;
  loading ??= load();
  try {
    await loading;
  } catch {
    return;
  }
  for (const formula of document.querySelectorAll(".answer .math:not([data-tex])")) set(formula);
}

if (here) {
  new MutationObserver(setAll).observe(document.querySelector("#main"), {
    childList: true,
    subtree: true,
  });
  setAll();
}
