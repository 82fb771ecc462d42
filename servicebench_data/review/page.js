"use strict";
// Everything from the data goes onto the page as text (textContent, value); nothing is parsed as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const PREFIX = "servicebench-review/";
const drafts = new Map();
let current = -1;
let canSave = true;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function keyOf(item) {
  return PREFIX + JSON.stringify([data.industry, item.kind, item.id, item.sha256]);
}

function load() {
  try {
    byId("author").value = localStorage.getItem(PREFIX + "author") || "";
    for (const item of data.items) {
      const saved = localStorage.getItem(keyOf(item));
      if (saved) drafts.set(item, JSON.parse(saved));
    }
  } catch {
    canSave = false;
    tell("This browser does not save for this page: export before you close it.");
  }
}

function save(item) {
  if (!canSave) return;
  try {
    const draft = drafts.get(item);
    if (draft) localStorage.setItem(keyOf(item), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(item));
  } catch {
    canSave = false;
    tell("The browser's store is full: export before you close this page.");
  }
}

function tell(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

function actionOf(item) {
  const draft = drafts.get(item);
  return draft && data.forms[item.kind].actions.find((action) => action.name === draft.action);
}

// What a decision still lacks; an empty list for a whole one.
function lacks(item) {
  const draft = drafts.get(item);
  const action = actionOf(item);
  if (!draft || !action) return ["action"];
  const missing = [];
  if (action.takes !== "nothing" && !draft.value.trim()) missing.push("value");
  if (!draft.reason.trim()) missing.push("reason");
  return missing;
}

function stateOf(item) {
  if (drafts.has(item)) return lacks(item).length ? "half" : "done";
  return item.outcome === "stale" ? "stale" : "open";
}

function describe(item) {
  const draft = drafts.get(item);
  if (!draft) return item.decided || "undecided";
  const missing = lacks(item);
  const what = [actionOf(item)?.title ?? "", titleOf(item, draft.value)].filter(Boolean).join(": ");
  return missing.length ? `${what} — ${missing.join(" and ")} missing` : what;
}

function titleOf(item, value) {
  const choice = actionOf(item)?.choices.find((entry) => entry.value === value);
  return choice ? choice.title : value;
}

function isShown(item) {
  const wanted = byId("show").value;
  const state = stateOf(item);
  if (wanted === "open" && (state === "done" || (state === "open" && item.decided))) return false;
  if (wanted === "done" && state !== "done") return false;
  if (wanted === "stale" && item.outcome !== "stale") return false;
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [item.title, ...item.badges, ...item.facts.flat(), ...item.texts].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function shown() {
  return data.items.map((item, place) => place).filter((place) => isShown(data.items[place]));
}

function drawList() {
  const list = byId("list");
  list.replaceChildren();
  const places = shown();
  for (const place of places) {
    const item = data.items[place];
    const row = make("li", undefined, stateOf(item));
    row.append(make("span", item.title, "line"), make("span", [...item.badges, describe(item)].join(" · "), "state"));
    row.setAttribute("aria-current", String(place === current));
    row.addEventListener("click", () => open(place));
    list.append(row);
  }
  if (!places.length) list.append(make("li", "Nothing to show.", "none"));
  const states = data.items.map(stateOf);
  const count = (state) => states.filter((entry) => entry === state).length;
  const parts = [`${count("done")} of ${data.items.length} decided here`];
  if (count("half")) parts.push(`${count("half")} incomplete`);
  byId("progress").textContent = parts.join(", ");
}

function open(place) {
  current = place;
  drawItem();
  drawList();
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
  main.append(facts, texts, drawDecision(item));
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
  box.append(buttons, make("p", chosen ? chosen.hint : "Choose what is to be done.", "hint"));
  if (chosen) {
    if (chosen.takes !== "nothing") box.append(drawField("value", "Value", drawValue(item, chosen)));
    const reason = make("input");
    reason.maxLength = 2000;
    reason.placeholder = "Why? (needed)";
    reason.value = drafts.get(item).reason;
    box.append(drawField("reason", "Reason", reason));
  }
  return box;
}

function drawField(name, title, input) {
  const label = make("label", undefined, "field");
  label.append(make("span", title), input);
  input.id = name;
  const item = data.items[current];
  const mark = () => input.classList.toggle("wrong", lacks(item).includes(name));
  input.addEventListener("input", () => {
    change(item, { [name]: input.value });
    mark();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (lacks(item).length) byId(lacks(item)[0])?.focus();
      else next(true);
    }
  });
  mark();
  return label;
}

function drawValue(item, action) {
  if (action.takes === "text") {
    const input = make("input");
    input.maxLength = 2000;
    input.value = drafts.get(item).value;
    return input;
  }
  const select = make("select");
  select.append(make("option", ""));
  select.firstChild.value = "";
  const groups = new Map();
  for (const choice of action.choices) {
    if (choice.value === item.id) continue;
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
  select.value = drafts.get(item).value;
  select.addEventListener("change", () => {
    const hint = action.choices.find((choice) => choice.value === select.value)?.hint;
    byId("item").querySelector(".hint").textContent = hint || action.hint;
  });
  return select;
}

function choose(place) {
  const item = data.items[current];
  const action = item && data.forms[item.kind].actions[place];
  if (!action) return;
  const before = drafts.get(item);
  const value = before && before.action === action.name ? before.value : "";
  change(item, { action: action.name, value });
  drawItem();
  byId(lacks(item)[0])?.focus();
}

function change(item, values) {
  const draft = drafts.get(item) || { action: "", value: "", reason: "" };
  drafts.set(item, { ...draft, ...values, decided_at: new Date().toISOString() });
  save(item);
  drawList();
}

function undo() {
  const item = data.items[current];
  if (!item) return;
  drafts.delete(item);
  save(item);
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

// A cell that no spreadsheet takes for a formula and no comma or line break tears apart.
function cell(text) {
  const guarded = /^[=+\-@\t\r']/.test(text) ? "'" + text : text;
  return /[",\r\n;]/.test(guarded) ? '"' + guarded.replaceAll('"', '""') + '"' : guarded;
}

function exportFile() {
  const author = byId("author").value.trim();
  const begun = data.items.filter((item) => drafts.has(item));
  const half = begun.filter((item) => lacks(item).length);
  byId("author").classList.toggle("wrong", !author);
  if (!author) {
    tell("Fill in your name first: it stands beside each decision.");
    byId("author").focus();
    return;
  }
  const whole = begun.filter((item) => !lacks(item).length);
  if (!whole.length) {
    tell("Nothing is decided yet: an item needs an action and a reason.");
    return;
  }
  const rows = whole.map((item) => {
    const values = { ...drafts.get(item), kind: item.kind, industry: data.industry, item_id: item.id, item_sha256: item.sha256, author };
    return data.columns.map((name) => cell(String(values[name] ?? "").trim())).join(",");
  });
  const blob = new Blob([[data.columns.join(","), ...rows].join("\n") + "\n"], { type: "text/csv;charset=utf-8" });
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = `review-${data.industry}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  const left = half.length ? ` Left out as incomplete: ${half.length}.` : "";
  tell(`${whole.length} decisions exported to ${link.download}; hand it to: servicebench review --apply FILE.${left}`);
}

const KEYS = {
  j: () => next(false), ArrowDown: () => next(false), k: () => next(false, -1), ArrowUp: () => next(false, -1),
  n: () => next(true), u: undo, e: exportFile, r: () => byId("reason")?.focus(), v: () => byId("value")?.focus(),
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
