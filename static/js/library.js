// The count in the list follows the rows.
function count() {
  const shown = document.querySelector("[data-library-count]");
  if (shown) shown.textContent = document.querySelector("#library-rows").dataset.count;
}
document.addEventListener("htmx:afterSwap", count);

// A menu that is open stays open when the rows are refreshed.
let openMenu = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "library-rows") return;
  openMenu = detail.target.querySelector(".paper details[open]")?.closest(".paper").id ?? null;
});
document.addEventListener("htmx:afterSwap", () => {
  const row = openMenu && document.getElementById(openMenu);
  openMenu = null;
  if (row) row.querySelector("details").open = true;
});

// Adding papers: choose or drop many, one request per file, progress per file.

const target = document.querySelector("[data-drop-target]");
const form = document.querySelector("#upload");
const AT_ONCE = 2;

if (target && form) {
  const input = form.querySelector("input[type=file]");
  const queue = [];
  let running = 0;

  input.addEventListener("change", () => {
    add([...input.files]);
    input.value = "";
  });

  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth += 1;
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth -= 1;
    if (depth <= 0) document.body.classList.remove("dropping");
  });
  document.addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    document.body.classList.remove("dropping");
    add([...event.dataTransfer.files]);
  });

  function add(files) {
    if (!files.length) return;
    const list = sendingList();
    for (const file of files) queue.push({ file, row: sendingRow(list, file.name) });
    next();
  }

  function next() {
    while (running < AT_ONCE && queue.length) {
      running += 1;
      send(queue.shift());
    }
  }

  function sendingList() {
    let list = target.querySelector(".sending");
    if (!list) {
      list = document.createElement("ul");
      list.className = "sending";
      document.querySelector("#library-rows").before(list);
    }
    return list;
  }

  function sendingRow(list, name) {
    const row = document.createElement("li");
    const title = document.createElement("span");
    title.textContent = name;
    const words = document.createElement("span");
    words.className = "small soft figures";
    const bar = document.createElement("progress");
    bar.className = "line";
    bar.max = 100;
    bar.value = 0;
    row.append(title, words, bar);
    list.append(row);
    return { row, words, bar, name };
  }

  // What the page refuses by itself looks like what the server refuses.
  function refuse({ row, name }, sentence, { isCertain = true } = {}) {
    const refusals = document.querySelector("#refusal").content.firstElementChild.cloneNode(true);
    refusals.querySelector("strong").textContent = name;
    refusals.querySelector("p > span").textContent = sentence;
    if (!isCertain) refusals.querySelector("p > .soft").remove();
    row.remove();
    if (!target.querySelector(".sending li")) target.querySelector(".sending")?.remove();
    const rows = document.querySelector("#library-rows");
    addRefusals(rows, refusals);
  }

  // Refusals so far, with those before them; many of them fold.
  const MANY = 4;
  function addRefusals(rows, earlier) {
    const here = rows.querySelector(".refusals");
    if (here) here.querySelector("ul").prepend(...earlier.querySelectorAll("li"));
    else rows.prepend(earlier);
    const refusals = rows.querySelector(".refusals");
    const count = refusals.querySelectorAll(".bad").length;
    const summary = refusals.querySelector("summary");
    summary.hidden = count < MANY;
    summary.querySelector("span").textContent = form.dataset.refused.replace("{}", count);
    if (here && earlier !== here) here.open = earlier.open;
  }

  function send({ file, row }) {
    if (file.size > Number(form.dataset.most)) {
      running -= 1;
      refuse(row, form.dataset.tooLarge);
      return;
    }
    const body = new FormData();
    body.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    body.append("files", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-Requested-With", "lito");
    request.upload.addEventListener("progress", (event) => {
      const percent = Math.round((100 * event.loaded) / Math.max(event.total, 1));
      row.bar.value = percent;
      row.words.textContent =
        percent < 100 ? form.dataset.sending.replace("{}", `${percent} %`) : form.dataset.checking;
    });
    request.addEventListener("loadend", () => {
      running -= 1;
      const isAnswer = request.responseURL === form.action; // else the way led to the sign-in page
      if (isAnswer && (request.status === 200 || request.status === 422)) {
        row.row.remove();
        showRows(request.responseText);
      } else {
        const isTooLarge = request.status === 413;
        refuse(row, isTooLarge ? request.responseText : form.dataset.lost, {
          isCertain: isTooLarge,
        });
        if (!isTooLarge) refresh();
      }
      next();
      if (!target.querySelector(".sending li")) target.querySelector(".sending")?.remove();
    });
    request.send(body);
  }

  // After an upload without an answer: the file may be there all the same.
  async function refresh(tries = 8) {
    let response;
    try {
      response = await fetch(location.href);
    } catch {
      // The server is still away.
    }
    if (response?.ok && !response.redirected) showRows(await response.text());
    else if (tries > 1) setTimeout(() => refresh(tries - 1), 3000);
  }

  // The new rows replace the old ones; files that were refused before keep their sentence.
  function showRows(html) {
    const rows = document.querySelector("#library-rows");
    const kept = rows.querySelector(".refusals");
    const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("#library-rows");
    if (!fresh) return;
    if (kept) addRefusals(fresh, kept);
    rows.replaceWith(fresh);
    htmx.process(fresh);
    count();
  }

  // Refused files are in no row of the server: carry them over each refresh.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const kept = document.querySelector("#library-rows .refusals");
    if (event.detail.target.id !== "library-rows" || !kept) return;
    const holder = kept.cloneNode(true);
    document.addEventListener(
      "htmx:afterSwap",
      () => {
        const rows = document.querySelector("#library-rows");
        if (!rows.querySelector(".refusals")) rows.prepend(holder);
      },
      { once: true },
    );
  });
}
