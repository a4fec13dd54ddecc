// What did Lito read here: page and text light up together, arrow keys turn pages and walk through cells.

const root = document.querySelector("[data-as-read]");
const layers = root.querySelector("[data-layers]");
const KEPT = "lito-layers";

// What is drawn is remembered.
const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
for (const box of layers.querySelectorAll("input")) {
  if (box.name in kept) box.checked = kept[box.name];
}
layers.addEventListener("change", () => {
  const boxes = [...layers.querySelectorAll("input")];
  const drawn = Object.fromEntries(boxes.map(({ name, checked }) => [name, checked]));
  localStorage.setItem(KEPT, JSON.stringify(drawn));
});

// A block on the page and its text, a cell on the page and in the table.
function light(selector) {
  for (const lit of root.querySelectorAll(".is-lit")) lit.classList.remove("is-lit");
  if (!selector) return [];
  const found = [...root.querySelectorAll(selector)];
  for (const element of found) element.classList.add("is-lit");
  return found;
}

function selectorOf(element) {
  const cell = element.closest("[data-cell]");
  if (cell) return `[data-cell="${cell.dataset.cell}"]`;
  const block = element.closest("[data-block]");
  return block ? `[data-block="${block.dataset.block}"]` : "";
}

for (const kind of ["pointerover", "focusin"]) {
  root.addEventListener(kind, ({ target }) => {
    const lit = light(selectorOf(target));
    const cell = lit.find((element) => element.matches(".cells *"));
    if (cell) showPath(cell);
  });
}

// The headers of the cell that is pointed at, in words below the table.
function showPath(cell) {
  const path = cell.closest("[data-table]").querySelector("[data-path]");
  path.textContent = [cell.title, cell.textContent].filter(Boolean).join(": ");
}

// Arrow keys: from cell to cell inside a table, else from page to page.
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function step(table, [down, right]) {
  const lit = table.querySelector(".is-lit");
  const rows = [...table.querySelectorAll("tr")].map((row) => [
    ...row.querySelectorAll("[data-cell]"),
  ]);
  if (!lit) return rows.flat()[0];
  const at = rows.findIndex((row) => row.includes(lit));
  if (right) return rows[at][rows[at].indexOf(lit) + right];
  const column = Number(lit.dataset.cell.split("-")[2]);
  for (let next = at + down; rows[next]; next += down) {
    const cell = rows[next].findLast(({ dataset }) => Number(dataset.cell.split("-")[2]) <= column);
    if (cell) return cell;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select, dialog[open]") || !(event.key in STEPS)) return;
  const table = event.target.closest("[data-cells]");
  if (table) {
    event.preventDefault();
    const cell = step(table, STEPS[event.key]);
    if (!cell) return;
    light(selectorOf(cell));
    showPath(cell);
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    return;
  }
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (way) root.querySelector(`.as-read-pages a[rel="${way}"]`)?.click();
});
