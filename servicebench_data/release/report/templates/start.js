// Joining it all: keys, addresses, and unpacking at the start.
function openAddress() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("transcripts")) {
    showView("transcripts");
    if (!state.data) return;
    if (hash.includes("?")) {
      byId("viewer").classList.remove("is-reading");
      resetFilters(new URLSearchParams(hash.slice(hash.indexOf("?") + 1)));
    }
    drawRows();
    return;
  }
  const [first, second] = hash.split(",").map(readId);
  const talk = state.byKey.get(first);
  if (talk) {
    showView("transcripts");
    if (state.shown.indexOf(talk) < 0) resetFilters(new URLSearchParams());
    state.current = state.shown.indexOf(talk);
    openTalk(talk, state.byKey.get(second) ?? null);
    byId("list").scrollTop = Math.max(0, state.current * ROW - 200);
    drawRows();
    return;
  }
  const isReport = !hash || byId(hash);
  if (isReport || state.data) showView("report");
  if (hash && isReport) byId(hash).scrollIntoView();
}

function readId(text) {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return text;
  }
}

const KEYS = {
  j: () => choose(state.current + 1),
  k: () => choose(state.current - 1),
  ArrowDown: () => choose(state.current + 1),
  ArrowUp: () => choose(state.current - 1),
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  p: play,
  b: nextBeside,
  "/": () => {
    byId("viewer").classList.remove("is-reading");
    byId("search").focus();
  },
  "?": () => byId("keys").showModal(),
  Escape: () => { if (state.beside) openTalk(state.open, null); },
};

function onKey(event) {
  if (byId("viewer").hidden || !state.data || byId("keys").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input[type=search], select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const isArrow = event.key.startsWith("Arrow");
  const isUpright = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (isArrow && event.target.matches("input, summary")) return;
  if (isUpright && event.target !== byId("list")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function listen() {
  document.addEventListener("keydown", onKey);
  document.querySelector(".skip").addEventListener("click", (event) => {
    if (byId("viewer").hidden) return;
    event.preventDefault();
    byId("list").focus();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("input", filter);
  byId("filters").addEventListener("reset", () => setTimeout(filter));
  byId("list").addEventListener("scroll", () => requestAnimationFrame(drawRows), { passive: true });
  byId("turn").addEventListener("input", () => setTurn(Number(byId("turn").value)));
  byId("play").addEventListener("click", play);
  byId("previous").addEventListener("click", KEYS.k);
  byId("next").addEventListener("click", KEYS.j);
  byId("keys-open").addEventListener("click", KEYS["?"]);
  byId("back").addEventListener("click", () => byId("viewer").classList.remove("is-reading"));
  byId("beside").addEventListener("change", () => openTalk(state.open, state.byKey.get(byId("beside").value) ?? null));
  for (const box of document.querySelectorAll(".layers input")) {
    box.addEventListener("change", () => byId("talks").classList.toggle(`no-${box.name}`, !box.checked));
  }
  window.addEventListener("resize", drawRows);
  window.addEventListener("hashchange", openAddress);
}

async function start() {
  openAddress();
  try {
    prepare(await unpack(byId("packed").textContent));
  } catch (error) {
    byId("count").textContent = `The transcripts cannot be unpacked here: ${error.message}`;
    return;
  }
  fillFilters();
  filter();
  listen();
  openAddress();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
