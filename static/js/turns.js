// Turns: changing a question in its place, copying an answer, and what a follow-up follows.

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

// The clipboard gets a promise: some browsers forget the click while the text is fetched.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy-answer]");
  if (!button) return;
  const copied = fetch(button.dataset.copyAnswer).then((response) => {
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  });
  const as = (type, part) => copied.then((answer) => new Blob([answer[part]], { type }));
  try {
    if (navigator.clipboard?.write) {
      const item = { "text/plain": as("text/plain", "text"), "text/html": as("text/html", "html") };
      await navigator.clipboard.write([new ClipboardItem(item)]);
    } else copyOldWay(await copied);
  } catch {
    return;
  }
  button.querySelector("span").textContent = button.dataset.copied;
});

// Without a secure address there is no other way.
function copyOldWay({ text, html }) {
  const fill = (event) => {
    event.preventDefault();
    event.clipboardData.setData("text/plain", text);
    event.clipboardData.setData("text/html", html);
  };
  document.addEventListener("copy", fill, { once: true });
  document.execCommand("copy");
}
