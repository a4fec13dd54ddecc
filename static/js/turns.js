// Turns: changing a question in its place, and what is followed after another branch is shown.

document.addEventListener(
  "toggle",
  ({ target: edit }) => {
    if (!edit.matches?.("[data-edit]") || !edit.open) return;
    const box = edit.querySelector("textarea");
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  },
  true,
);

function giveUp(edit) {
  edit.querySelector("form").reset();
  edit.open = false;
  edit.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  const cancel = event.target.closest("[data-edit-cancel]");
  if (cancel) giveUp(cancel.closest("[data-edit]"));
});

document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (!box.matches?.("[data-edit] textarea") || event.isComposing) return;
  if (event.key === "Escape") {
    event.stopPropagation();
    giveUp(box.closest("[data-edit]"));
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    if (box.value.trim()) box.form.requestSubmit();
  }
});

// A follow-up follows what stands on this page, whatever another tab shows by now.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (!detail.elt.matches("[data-follow-up]")) return;
  const turns = document.querySelectorAll("#turns > [data-turn]");
  if (turns.length) detail.parameters.after = turns[turns.length - 1].dataset.run;
});
