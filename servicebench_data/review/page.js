// Everything from the data goes onto the page as text (textContent, value); nothing is parsed as markup.
const data = JSON.parse(document.getElementById("data").textContent);
// A target is what a decision is about: an item, or a cell of it.
for (const item of data.items) {
  for (const cell of item.cells) Object.assign(cell, { item, actions: data.actions[cell.actions] });
  item.targets = [item, ...item.cells.filter((cell) => cell.actions.length)];
}
const PREFIX = "servicebench-review/";
const drafts = new Map();
const rows = new Map();
let current = -1;
let canSave = true;

function keyOf(target) {
  const item = target.item ?? target;
  const cell = target.item ? [target.name] : [];
  return PREFIX + JSON.stringify([data.industry, item.kind, item.id, target.sha256, ...cell]);
}

function actionsOf(target) {
  return target.item ? target.actions : data.forms[target.kind].actions;
}

function load() {
  try {
    byId("author").value = localStorage.getItem(PREFIX + "author") || "";
    for (const target of data.items.flatMap((item) => item.targets)) {
      const saved = localStorage.getItem(keyOf(target));
      if (saved) drafts.set(target, JSON.parse(saved));
    }
  } catch {
    canSave = false;
    tell("This browser does not save for this page: export before you close it.");
  }
}

function save(target) {
  if (!canSave) return;
  try {
    const draft = drafts.get(target);
    if (draft) localStorage.setItem(keyOf(target), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(target));
  } catch {
    canSave = false;
    tell("The browser's store is full: export before you close this page.");
  }
}

function actionOf(target) {
  const draft = drafts.get(target);
  return draft && actionsOf(target).find((action) => action.name === draft.action);
}

// What a decision still lacks; an empty list for a whole one.
function lacks(target) {
  const draft = drafts.get(target);
  const action = actionOf(target);
  if (!draft || !action) return ["action"];
  const missing = [];
  if (action.takes !== "nothing" && !isGood(target, action, draft.value.trim())) missing.push("value");
  if (!draft.reason.trim()) missing.push("reason");
  return missing;
}

// Whether a value says something: of a cell also something else than what stands there.
function isGood(target, action, value) {
  if (!value || (target.item && value === textOf(target))) return false;
  if (action.takes !== "number") return true;
  return Number.isFinite(Number(value)) && Number(value) >= action.bounds[0] && Number(value) <= action.bounds[1];
}

function textOf(target) {
  return target.item ? target.text ?? "" : "";
}

function stateOf(item) {
  const begun = item.targets.filter((target) => drafts.has(target));
  if (begun.length) return begun.some((target) => lacks(target).length) ? "half" : "done";
  return item.targets.some((target) => target.outcome === "stale") ? "stale" : "open";
}

function describe(item) {
  const begun = item.targets.filter((target) => drafts.has(target));
  if (begun.length) return begun.map(describeDraft).join("; ");
  const decided = item.targets.filter((target) => target.decided);
  if (decided.length < 2) return decided[0]?.decided ?? "undecided";
  return `${decided.length} decisions`;
}

function describeDraft(target) {
  const missing = lacks(target);
  const value = target.item ? "" : titleOf(target, drafts.get(target).value);
  const what = [target.item ? `${actionOf(target)?.title ?? ""} ${target.title}` : actionOf(target)?.title ?? "", value]
    .filter(Boolean).join(": ");
  return missing.length ? `${what} — ${missing.join(" and ")} missing` : what;
}

function titleOf(target, value) {
  const choice = actionOf(target)?.choices.find((entry) => entry.value === value);
  return choice ? choice.title : value;
}

function isShown(item) {
  const wanted = byId("show").value;
  const state = stateOf(item);
  if (wanted === "open" && (state === "done" || (state === "open" && item.targets.some((target) => target.decided)))) return false;
  if (wanted === "done" && state !== "done") return false;
  if (wanted === "stale" && !item.targets.some((target) => target.outcome === "stale")) return false;
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [item.title, ...item.badges, ...item.facts.flat(), ...item.texts, ...item.cells.map((cell) => cell.text ?? "")].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function shown() {
  return data.items.map((item, place) => place).filter((place) => isShown(data.items[place]));
}

function drawList() {
  const list = byId("list");
  list.replaceChildren();
  const places = shown();
  rows.clear();
  for (const place of places) {
    const row = make("li");
    rows.set(place, row);
    drawRow(place);
    row.addEventListener("click", () => open(place));
    list.append(row);
  }
  if (!places.length) list.append(make("li", "Nothing to show.", "none"));
  drawProgress();
}

function drawRow(place) {
  const item = data.items[place];
  const row = rows.get(place);
  if (!row) return;
  row.className = stateOf(item);
  row.replaceChildren(make("span", item.title, "line"), make("span", [...item.badges, describe(item)].join(" · "), "state"));
  row.setAttribute("aria-current", String(place === current));
}

function drawProgress() {
  const states = data.items.map(stateOf);
  const count = (state) => states.filter((entry) => entry === state).length;
  const parts = [`${count("done")} of ${data.items.length} decided here`];
  if (count("half")) parts.push(`${count("half")} incomplete`);
  byId("progress").textContent = parts.join(", ");
}

function open(place) {
  const before = current;
  current = place;
  drawItem();
  // The whole list only where an item enters or leaves it.
  if (rows.has(place) && (!rows.has(before) || isShown(data.items[before]))) [before, place].forEach(drawRow);
  else drawList();
  byId("list").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  byId("item").scrollTop = 0;
}

function drawItem() {
  const main = byId("item");
  main.replaceChildren();
  const item = data.items[current];
  if (!item) {
    main.append(make("p", "There is nothing to review.", "none"));
    return;
  }
  main.append(make("h2", item.title));
  main.append(make("span", data.forms[item.kind].title, "badge"));
  for (const text of item.badges) main.append(make("span", text, "badge loud"));
  const facts = make("dl", undefined, "facts");
  for (const [name, value] of item.facts) facts.append(make("dt", name), make("dd", value));
  const texts = make("ol", undefined, "texts");
  for (const text of item.texts) texts.append(make("li", text));
  if (!item.cells.length) main.append(facts, texts);
  else {
    const both = make("div", undefined, "both");
    const source = make("section", undefined, "source");
    source.append(make("h3", "Source"), texts);
    both.append(drawCells(item), source);
    main.append(facts, both);
  }
  main.append(drawDecision(item));
}

// The cells under their headings, in the order in which they come.
function drawCells(item) {
  const box = make("section", undefined, "cells");
  let group = "";
  for (const cell of item.cells) {
    if (cell.group !== group) box.append(make("h3", cell.group));
    group = cell.group;
    box.append(drawCell(cell));
  }
  return box;
}

function drawCell(cell) {
  const row = make("div", undefined, "cell");
  const fill = () => {
    row.replaceChildren(make("span", cell.title, "name"));
    const text = make("div", undefined, "text");
    if (cell.text === null) text.append(make("i", "empty"));
    else mark(text, cell.text, cell.marks);
    for (const note of cell.notes) text.append(make("small", note));
    if (cell.decided) text.append(make("small", cell.decided, cell.outcome === "applied" ? "before" : "before stale"));
    if (drafts.has(cell)) text.append(...drawFields(cell, fill));
    row.append(text, drawButtons(cell, fill));
    row.classList.toggle("changed", drafts.has(cell));
  };
  fill();
  return row;
}

// A text with the stretches that stand out in it.
function mark(box, text, marks) {
  let place = 0;
  while (place < text.length) {
    const found = marks.map((span) => [text.indexOf(span, place), span]).filter(([at, span]) => at >= 0 && span);
    if (!found.length) break;
    const [at, span] = found.reduce((one, other) => (other[0] < one[0] || (other[0] === one[0] && other[1].length > one[1].length) ? other : one));
    box.append(text.slice(place, at), make("mark", span));
    place = at + span.length;
  }
  box.append(text.slice(place));
}

function drawButtons(cell, redraw) {
  const box = make("span", undefined, "buttons");
  for (const action of cell.actions) {
    // Withdrawing needs something to withdraw.
    if (action === cell.actions[0] && !cell.decided) continue;
    const button = make("button", action.title, "small");
    button.type = "button";
    button.title = action.hint;
    button.setAttribute("aria-pressed", String(action === actionOf(cell)));
    button.addEventListener("click", () => {
      start(cell, action);
      redraw();
      focusFirst(cell);
    });
    box.append(button);
  }
  if (drafts.has(cell)) {
    const undone = make("button", "undo", "small");
    undone.type = "button";
    undone.addEventListener("click", () => {
      drafts.delete(cell);
      save(cell);
      redraw();
      drawList();
    });
    box.append(undone);
  }
  return box;
}

function drawDecision(item) {
  const box = make("section", undefined, "decide");
  if (item.decided) box.append(make("p", item.decided, item.outcome === "stale" ? "before stale" : "before"));
  const buttons = make("div", undefined, "actions");
  const chosen = actionOf(item);
  data.forms[item.kind].actions.forEach((action, place) => {
    const button = make("button");
    button.type = "button";
    button.append(make("kbd", String(place + 1)), action.title);
    button.title = action.hint;
    button.setAttribute("aria-pressed", String(action === chosen));
    button.addEventListener("click", () => choose(place));
    buttons.append(button);
  });
  box.append(buttons, make("p", chosen ? chosen.hint : item.cells.length ? "Here you decide on all of it; its parts are decided on above." : "Choose what is to be done.", "hint"));
  if (chosen) box.append(...drawFields(item, () => next(true)));
  return box;
}

// What a decision needs besides its action; done is called when it is whole.
function drawFields(target, done) {
  const action = actionOf(target);
  const fields = action && action.takes !== "nothing" ? [drawField(target, "value", "Value", drawValue(target, action), done)] : [];
  const reason = make("input");
  reason.maxLength = 2000;
  reason.placeholder = "Why? (needed)";
  reason.value = drafts.get(target).reason;
  return [...fields, drawField(target, "reason", "Reason", reason, done)];
}

function idOf(target, name) {
  return target.item ? `${name}-${target.name}` : name;
}

function focusFirst(target) {
  byId(idOf(target, lacks(target)[0] ?? "reason"))?.focus();
}

function drawField(target, name, title, input, done) {
  const label = make("label", undefined, "field");
  label.append(make("span", title), input);
  input.id = idOf(target, name);
  const show = () => input.classList.toggle("wrong", lacks(target).includes(name));
  input.addEventListener("input", () => {
    change(target, { [name]: input.value });
    show();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (lacks(target).length) focusFirst(target);
      else done();
    }
  });
  show();
  return label;
}

function drawValue(target, action) {
  if (action.takes === "text" || action.takes === "number") {
    const isLong = target.item && action.takes === "text";
    const input = make(isLong ? "textarea" : "input");
    if (isLong) input.rows = Math.min(6, 1 + Math.ceil((target.text ?? "").length / 70));
    if (action.takes === "number") {
      input.inputMode = "decimal";
      input.placeholder = `${action.bounds[0]} to ${action.bounds[1]}`;
    }
    input.maxLength = 2000;
    input.value = drafts.get(target).value;
    return input;
  }
  const select = make("select");
  select.append(make("option", ""));
  select.firstChild.value = "";
  const groups = new Map();
  for (const choice of action.choices) {
    if (choice.value === target.id) continue;
    const option = make("option", choice.title);
    option.value = choice.value;
    option.title = choice.hint;
    if (!choice.group) select.append(option);
    else {
      if (!groups.has(choice.group)) {
        const group = make("optgroup");
        group.label = choice.group;
        groups.set(choice.group, group);
        select.append(group);
      }
      groups.get(choice.group).append(option);
    }
  }
  select.value = drafts.get(target).value;
  if (!target.item) {
    select.addEventListener("change", () => {
      const hint = action.choices.find((choice) => choice.value === select.value)?.hint;
      byId("item").querySelector(".hint").textContent = hint || action.hint;
    });
  }
  return select;
}

function choose(place) {
  const item = data.items[current];
  const action = item && data.forms[item.kind].actions[place];
  if (!action) return;
  start(item, action);
  drawItem();
  focusFirst(item);
}

// Begin a decision: a text to be edited begins as it is.
function start(target, action) {
  const before = drafts.get(target);
  const first = action.takes === "nothing" ? "" : textOf(target);
  change(target, { action: action.name, value: before && before.action === action.name ? before.value : first });
}

function change(target, values) {
  const draft = drafts.get(target) || { action: "", value: "", reason: "" };
  drafts.set(target, { ...draft, ...values, decided_at: new Date().toISOString() });
  save(target);
  drawRow(current);
  drawProgress();
}

function undo() {
  const item = data.items[current];
  if (!item) return;
  for (const target of item.targets) {
    drafts.delete(target);
    save(target);
  }
  drawItem();
  drawList();
}

function next(isOpenOnly, step = 1) {
  byId("item").focus();
  const places = shown().filter((place) => !isOpenOnly || (stateOf(data.items[place]) !== "done" && place !== current));
  const after = step > 0 ? places.find((place) => place > current) : places.findLast((place) => place < current);
  const target = after ?? (isOpenOnly ? places[0] : undefined);
  if (target !== undefined) open(target);
  else {
    drawItem();
    drawList();
    if (isOpenOnly) tell("Everything shown here is decided; export the file.");
  }
}

// The next part that takes an action, after the one that has the focus.
function nextCell() {
  const cells = [...byId("item").querySelectorAll(".cell")].filter((row) => row.querySelector("button"));
  const at = cells.findIndex((row) => row.contains(document.activeElement));
  const row = cells[(at + 1) % cells.length];
  row?.querySelector("button").focus();
  row?.scrollIntoView({ block: "center" });
}

function exportFile() {
  const author = byId("author").value.trim();
  const begun = data.items.flatMap((item) => item.targets).filter((target) => drafts.has(target));
  const half = begun.filter((target) => lacks(target).length);
  byId("author").classList.toggle("wrong", !author);
  if (!author) {
    tell("Fill in your name first: it stands beside each decision.");
    byId("author").focus();
    return;
  }
  const whole = begun.filter((target) => !lacks(target).length);
  if (!whole.length) {
    tell("Nothing is decided yet: an item needs an action and a reason.");
    return;
  }
  const lines = whole.map((target) => {
    const item = target.item ?? target;
    const keys = { kind: item.kind, industry: data.industry, item_id: item.id, item_sha256: target.sha256 };
    const values = { ...drafts.get(target), ...keys, cell: target.item ? target.name : "", author };
    return data.columns.map((name) => values[name]);
  });
  const file = saveTable(`review-${data.industry}`, data.columns, lines);
  const left = half.length ? ` Left out as incomplete: ${half.length}.` : "";
  tell(`${whole.length} decisions exported to ${file}; hand it to: servicebench review --apply FILE.${left}`);
}

const KEYS = {
  j: () => next(false), ArrowDown: () => next(false), k: () => next(false, -1), ArrowUp: () => next(false, -1),
  c: nextCell, n: () => next(true), u: undo, e: exportFile, r: () => byId("reason")?.focus(), v: () => byId("value")?.focus(),
  "/": () => byId("search").focus(), "?": () => byId("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && inField) {
    event.target.blur();
    byId("item").focus();
    return;
  }
  if (inField) return;
  if (/^[1-9]$/.test(event.key)) {
    event.preventDefault();
    choose(Number(event.key) - 1);
  } else if (Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

byId("title").textContent = data.title;
byId("intro").textContent = data.intro;
byId("export").addEventListener("click", exportFile);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("search").addEventListener("input", drawList);
byId("show").addEventListener("change", drawList);
byId("author").addEventListener("input", () => {
  byId("author").classList.remove("wrong");
  try {
    localStorage.setItem(PREFIX + "author", byId("author").value);
  } catch {
    canSave = false;
  }
});
load();
open(data.items.length ? 0 : -1);
