// The list of conversations: unpacking, filtering, and only those rows that can be seen.
const ROW = 68;
const FILTERS = ["agent", "industry", "category", "outcome", "style", "severity"];
const SHAPES = ["circle", "square", "diamond", "triangle", "cross", "down"];
const WORDS = {
  disengaged: "left", assertive_warm: "assertive, warm", assertive_cold: "assertive, cold", passive_warm: "passive, warm",
  passive_cold: "passive, cold", progressive: "bit by bit", full_information: "all in the opening",
};
const state = { data: null, byKey: new Map(), shown: [], current: -1, beside: null, turn: 0, timer: 0, isOpen: false };

const words = (code) => WORDS[code] ?? String(code ?? "").replaceAll("_", " ");
const number = (value, digits = 2) => (value === undefined ? "–" : value.toFixed(digits).replace("-", "−"));

async function unpack(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function prepare(data) {
  state.data = data;
  data.rubricByItem = new Map(data.rubric.map((row) => [`${row.dim}/${row.item}`, row.question]));
  for (const talk of data.conversations) {
    const scenario = data.scenarios[talk.scenario] ?? { facts: [] };
    Object.assign(talk, { home: scenario, industry: scenario.industry, severity: scenario.severity, category: scenario.category_id });
    state.byKey.set(talk.id, talk);
  }
}

// What a search looks through, made when it is first needed.
function haystack(talk) {
  talk.hay ??= [talk.id, talk.scenario, talk.agent, talk.home.category, ...talk.messages.map((message) => message.text)].join("\n").toLowerCase();
  return talk.hay;
}

function fillFilters() {
  for (const name of FILTERS) {
    const counts = new Map();
    for (const talk of state.data.conversations) counts.set(talk[name] ?? "", (counts.get(talk[name] ?? "") ?? 0) + 1);
    const select = byId("filters").elements[name];
    select.replaceChildren(new Option("all", ""));
    const entries = [...counts.keys()].filter(Boolean).map((value) => [titleOf(name, value), value]).sort((a, b) => a[0].localeCompare(b[0]));
    for (const [title, value] of entries) select.append(new Option(`${title} (${counts.get(value)})`, value));
  }
}

function titleOf(name, value) {
  if (name !== "category") return name === "agent" ? value : words(value);
  state.categories ??= new Map(Object.values(state.data.scenarios).map((scenario) => [scenario.category_id, scenario.category]));
  return state.categories.get(value) ?? value;
}

const ORDERS = {
  best: (a, b) => (b.total ?? -1) - (a.total ?? -1),
  worst: (a, b) => (a.total ?? 9) - (b.total ?? 9),
  long: (a, b) => b.exchanges - a.exchanges,
  goodwill: (a, b) => (b.goodwill ?? 0) - (a.goodwill ?? 0),
};

function filter() {
  const form = byId("filters").elements;
  const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const open = state.shown[state.current];
  state.shown = state.data.conversations.filter((talk) =>
    FILTERS.every((name) => !form[name].value || talk[name] === form[name].value)
    && wanted.every((word) => haystack(talk).includes(word)));
  const order = ORDERS[byId("order").value];
  if (order) state.shown = [...state.shown].sort(order);
  state.current = state.shown.indexOf(open);
  const { total, conversations } = state.data;
  const some = conversations.length < total ? ` of ${conversations.length.toLocaleString("en")} on this page (${total.toLocaleString("en")} in the file)` : ` of ${total.toLocaleString("en")}`;
  byId("count").textContent = state.data.missing
    ? `No transcripts: ${state.data.missing}`
    : `${state.shown.length.toLocaleString("en")}${some} conversations${state.shown.length ? "" : ": nothing fits; Reset shows all."}`;
  byId("list").scrollTop = 0;
  drawRows();
}

function drawRows() {
  const list = byId("list");
  byId("rows").style.height = `${state.shown.length * ROW}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(state.shown.length, first + Math.ceil((list.clientHeight || 600) / ROW) + 9);
  const rows = [];
  for (let place = first; place < last; place += 1) rows.push(drawRow(state.shown[place], place));
  byId("rows").replaceChildren(...rows);
  if (state.current >= 0) list.setAttribute("aria-activedescendant", `row-${state.current}`);
  else list.removeAttribute("aria-activedescendant");
}

function drawRow(talk, place) {
  const row = make("div", "row");
  row.id = `row-${place}`;
  row.role = "option";
  row.style.top = `${place * ROW}px`;
  row.setAttribute("aria-selected", String(place === state.current));
  row.setAttribute("aria-posinset", place + 1);
  row.setAttribute("aria-setsize", state.shown.length);
  const head = make("div", "first");
  head.append(drawMark(talk.agent), make("span", "", talk.agent), make("span", "total", number(talk.total)));
  const runs = talk.repeat ? ` · run ${talk.repeat + 1}` : "";
  row.append(head, make("div", "soft", `${words(talk.outcome)} · ${words(talk.style)} · ${talk.home.category ?? ""}${runs}`), make("div", "soft", talk.messages[0]?.text ?? ""));
  row.addEventListener("click", () => choose(place));
  return row;
}

// The agent's mark as the figures have it: copied from the table of agents.
function drawMark(agent) {
  state.marks ??= new Map([...document.querySelectorAll("#agents tbody th")].map((cell) => [cell.textContent.trim(), cell.querySelector("svg")]));
  return state.marks.get(agent)?.cloneNode(true) ?? "";
}

function choose(place) {
  if (place < 0 || place >= state.shown.length) return;
  state.current = place;
  openTalk(state.shown[place], null);
  const list = byId("list");
  const top = place * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  drawRows();
}

function resetFilters(values) {
  const form = byId("filters").elements;
  byId("search").value = "";
  for (const name of FILTERS) form[name].value = values.get(name) ?? "";
  filter();
}
