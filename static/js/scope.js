// What the next question works on and how: choices kept in the form that asks.

const form = () => document.querySelector("#ask [data-scope]");
const dialog = () => document.querySelector("[data-scope-dialog]");

function chosen() {
  const { value } = form().querySelector("[name=scope]");
  return new Set(value.split(" ").filter(Boolean));
}

function choose(papers) {
  const scope = form();
  scope.querySelector("[name=scope]").value = [...papers].join(" ");
  scope.classList.toggle("is-bound", papers.size > 0);
  const words = papers.size ? scope.dataset.some.replace("{}", papers.size) : scope.dataset.all;
  for (const place of document.querySelectorAll("[data-scope-words]")) place.textContent = words;
  for (const button of document.querySelectorAll("[data-scope-clear]")) {
    button.hidden = papers.size === 0;
  }
  for (const box of document.querySelectorAll(".scope-papers [name=paper]")) {
    box.checked = papers.has(box.value);
  }
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".scope-dialog [name=paper]")) return;
  const papers = chosen();
  if (target.checked) papers.add(target.value);
  else papers.delete(target.value);
  choose(papers);
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-scope-open]")) {
    dialog().showModal();
    htmx.trigger(dialog().querySelector(".scope-find"), "opened");
  } else if (target.closest("[data-scope-clear]")) {
    choose(new Set());
    if (!dialog().open) document.querySelector("#question").focus();
  } else if (target.closest("[data-scope-close]") || target === dialog()) {
    dialog().close();
    document.querySelector("#question").focus();
  } else {
    const all = target.closest("[data-scope-choose]");
    if (all) choose(new Set([...chosen(), ...all.dataset.scopeChoose.split(" ")]));
  }
});

// Up and down go through the list, and between it and the words to look for.
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.closest(".scope-dialog")) return;
  const stops = [...dialog().querySelectorAll("[name=q], .scope-papers [name=paper]")];
  const next = stops[stops.indexOf(event.target) + step];
  if (!stops.includes(event.target) || !next) return;
  event.preventDefault();
  next.focus();
});

// The way of working is for one question: afterwards it is the plain one again.
document.addEventListener("change", ({ target }) => {
  if (target.matches("#ask [name=skill]")) nameSkill(target);
});
document.addEventListener("click", ({ target, detail }) => {
  // A press of the pointer chooses; arrow keys only pass by.
  if (detail && target.matches("#ask [name=skill]")) target.closest("details").open = false;
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const first = detail.requestConfig?.elt?.querySelector?.("[data-skills] [name=skill]");
  if (!first || !detail.successful) return;
  first.checked = true;
  nameSkill(first);
});

function nameSkill(choice) {
  document.querySelector("[data-skill-title]").textContent = choice.dataset.title;
}
