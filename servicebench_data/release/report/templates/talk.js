// One conversation, or two side by side: messages with what was seen in them, facts, scores.
const SIGNS = { lit: "●", open: "◐", closed: "○" };
const STATES = { lit: "told", open: "opened, not told yet", closed: "not told" };
const FLAGS = {
  acknowledges_harm: "acknowledges harm", apologises: "apologises", checks_facts: "checks facts", offers_path: "offers a path",
  provokes: "provokes",
};

function openTalk(talk, beside) {
  pause();
  state.open = talk;
  state.beside = beside;
  byId("viewer").classList.add("is-reading");
  const both = [talk, ...(beside ? [beside] : [])];
  const talks = byId("talks");
  talks.classList.toggle("two", both.length > 1);
  talks.replaceChildren(...both.map(drawTalk));
  talks.scrollTop = 0;
  fillBeside(talk, beside);
  const last = Math.max(...both.map((entry) => entry.messages.length)) - 1;
  byId("turn").max = Math.max(last, 0);
  setTurn(last);
  const hash = both.map((entry) => encodeURIComponent(entry.id)).join(",");
  if (location.hash.slice(1) !== hash) history.replaceState(null, "", `#${hash}`);
}

function listSiblings(talk) {
  const rank = (other) => (other.agent === talk.agent ? 4 : 0) + (other.disclosure === talk.disclosure ? 0 : 2) + (other.repeat === talk.repeat ? 0 : 1);
  const siblings = state.data.conversations.filter((other) => other !== talk && other.scenario === talk.scenario);
  return siblings.sort((a, b) => rank(a) - rank(b));
}

function fillBeside(talk, beside) {
  const select = byId("beside");
  const siblings = listSiblings(talk);
  select.replaceChildren(new Option(siblings.length ? "nothing" : "no other on this scenario", ""));
  for (const other of siblings) {
    const more = [words(other.style), other.disclosure === talk.disclosure ? "" : words(other.disclosure), other.repeat ? `run ${other.repeat + 1}` : ""];
    select.append(new Option([other.agent, ...more.filter(Boolean)].join(", "), other.id, false, other === beside));
  }
  select.disabled = !siblings.length;
}

function drawTalk(talk) {
  const article = make("article", "talk");
  article.setAttribute("aria-label", `Conversation of ${talk.agent}`);
  const body = make("div", "body");
  const list = make("ol", "messages");
  talk.messages.forEach((message, place) => list.append(drawMessage(talk, message, place)));
  body.append(list, make("p", "end", `${words(talk.outcome)}: ${talk.reason}`));
  article.append(drawHead(talk), drawStrip(talk), body, drawSide(talk));
  return article;
}

function drawHead(talk) {
  const head = make("header", "head");
  const title = make("h2");
  title.append(drawMark(talk.agent), make("span", "", talk.agent), make("span", `chip fill o-${talk.outcome}`, words(talk.outcome)));
  const chips = make("div", "chips");
  const told = [words(talk.home.industry), talk.home.stage, talk.home.category, `${talk.home.severity ?? "?"} severity`, `${words(talk.style)} customer`, words(talk.disclosure)];
  for (const text of told) chips.append(make("span", "chip", text));
  if (talk.guidance !== "none") chips.append(make("span", "chip", `guidance: ${words(talk.guidance)}`));
  if (talk.reasoning !== "direct") chips.append(make("span", "chip", words(talk.reasoning)));
  if (!talk.valid) chips.append(make("span", "chip loud", "not valid"));
  if (talk.selfplay) chips.append(make("span", "chip loud", "self-play"));
  const scores = make("dl", "scores");
  for (const [name, value] of [["total", talk.total], ["interactional", talk.i], ["procedural", talk.p], ["distributive", talk.d]]) {
    const pair = make("div");
    pair.append(make("dt", "", name), make("dd", "", number(value)));
    scores.append(pair);
  }
  const line = make("p");
  line.append(`${talk.exchanges} ${talk.exchanges === 1 ? "exchange" : "exchanges"} · goodwill $${number(talk.goodwill ?? 0, 0)} · run ${(talk.repeat ?? 0) + 1} · `, make("code", "", talk.id));
  head.append(title, chips, scores, line);
  return head;
}

function drawMessage(talk, message, place) {
  const isAgent = place % 2 === 1;
  const row = make("li", `message ${isAgent ? "agent" : "customer"}`);
  row.dataset.place = place;
  const who = make("div", "who");
  who.append(make("span", "", `${isAgent ? talk.agent : "customer"} · ${place + 1}`));
  if (message.attitude !== undefined) who.append(make("span", "", `temper ${message.attitude} of 4`));
  if (message.patience !== undefined) who.append(make("span", "", `patience ${number(message.patience, 1)}`));
  const bubble = make("div", "bubble");
  bubble.append(markText(message.text ?? "", listMarks(talk, place)));
  row.append(who, bubble, drawNotes(talk, place));
  if (message.reasoning) {
    const thought = make("details", "thought");
    thought.append(make("summary", "", "What the agent thought"), make("div", "", message.reasoning));
    row.append(thought);
  }
  row.addEventListener("click", () => { if (!getSelection().toString()) setTurn(place); });
  return row;
}

const at = (rows, place) => rows.filter((row) => (row.m ?? 0) === place);

function listMarks(talk, place) {
  return [
    ...at(talk.told, place).map((row) => ({ quote: row.quote, kind: "told", tip: `tells ${row.fact}: ${factText(talk, row.fact)}`, key: `told/${row.fact}` })),
    ...at(talk.opened, place).map((row) => ({ quote: row.quote, kind: "gate", tip: `opens ${row.fact} (${words(row.by)})`, key: `opened/${row.fact}` })),
    ...at(talk.offers, place).map((row) => ({ quote: row.quote, kind: "offer", tip: `${words(row.kind)}: ${row.text}`, key: "offer" })),
    ...at(talk.flags, place).map((row) => ({ quote: row.quote, kind: "gate", tip: `gate: ${FLAGS[row.flag] ?? words(row.flag)}`, key: `flag/${row.flag}` })),
    ...talk.items.flatMap((item) => (item.quotes ?? []).map((quote, number) => ({ item, quote, number }))
      .filter(({ number }) => item.ms?.[number] === place)
      .map(({ quote }) => ({ quote, kind: "judge", tip: `${item.judge} on ${words(item.item)}: ${item.score} of 5`, key: `judge/${item.judge}/${item.dim}/${item.item}` }))),
  ];
}

function factText(talk, id) {
  return talk.home.facts.find((fact) => fact.fact === id)?.text ?? id;
}

function drawNotes(talk, place) {
  const list = make("ul", "notes");
  for (const row of at(talk.told, place)) list.append(make("li", "note told", `${row.fact} came out: ${words(row.by)}`));
  for (const row of at(talk.opened, place)) list.append(make("li", "note opened", `opens ${row.fact}: ${words(row.by)}`));
  for (const row of at(talk.offers, place)) {
    const worth = row.usd === undefined ? "no amount" : `$${number(row.usd, row.usd % 1 ? 2 : 0)}`;
    list.append(make("li", "note offer", `${words(row.kind)} ${worth}${row.relation && row.relation !== "new" ? `, ${row.relation}` : ""}`));
    if (row.over) list.append(make("li", "note bad", "over the limit"));
  }
  const flags = at(talk.flags, place);
  for (const row of flags) list.append(make("li", row.flag === "provokes" ? "note bad" : "note", FLAGS[row.flag] ?? words(row.flag)));
  return list;
}

function drawSide(talk) {
  const side = make("aside", "side");
  side.setAttribute("aria-label", `Facts and scores of ${talk.agent}`);
  side.append(fold("What the customer knows", drawFacts(talk), true));
  side.append(fold("What the judges say", drawScores(talk), !state.beside));
  side.append(fold("What would put it right", make("p", "plain", talk.home.expectation ?? "not known"), false));
  side.append(fold("What the agent sees on file", make("p", "plain", talk.home.record ?? "nothing"), false));
  return side;
}

function fold(title, content, isOpen) {
  const details = make("details");
  details.open = isOpen;
  details.append(make("summary", "", title), content);
  return details;
}

// All facts on one line, which stays in sight while one reads.
function drawStrip(talk) {
  const strip = make("ul", "strip");
  strip.setAttribute("aria-label", "Facts, lit once they are out");
  for (const fact of talk.home.facts) {
    const entry = make("li", "fact");
    entry.title = fact.text;
    remember(entry, talk, fact);
    entry.append(make("span", "light"), make("span", "", fact.fact));
    strip.append(entry);
  }
  return strip;
}

// When a fact was told and when it was opened; later than everything where it never was.
function remember(element, talk, fact) {
  const find = (rows) => rows.find((row) => row.fact === fact.fact);
  const [told, opened] = [find(talk.told), find(talk.opened)];
  element.dataset.told = told ? told.m ?? 0 : Infinity;
  element.dataset.opened = opened ? opened.m ?? 0 : Infinity;
  return told;
}

function drawFacts(talk) {
  if (!talk.home.facts.length) return make("p", "plain", "No facts are on record.");
  const list = make("ul", "facts");
  for (const fact of talk.home.facts) {
    const row = make("li", "fact");
    const told = remember(row, talk, fact);
    row.append(make("span", "light"), make("span", "", `${fact.fact} ${fact.text}`));
    const kind = [words(fact.opens), fact.own ? "only the customer knows" : "also on file or public", fact.inferred ? "inferred" : ""].filter(Boolean);
    row.append(make("small", "", kind.join(" · ")));
    if (told) {
      const button = make("button", "", `message ${(told.m ?? 0) + 1}: ${words(told.by)}`);
      button.type = "button";
      button.addEventListener("click", () => goTo(row, told.m ?? 0, `told/${fact.fact}`));
      row.append(button);
    }
    list.append(row);
  }
  return list;
}

function drawScores(talk) {
  const box = make("div", "judgment");
  if (!talk.scores.length) box.append(make("p", "plain", "Not scored."));
  for (const score of talk.scores) {
    box.append(make("h3", "", `${score.judge} · ${score.dim}: ${score.score ?? score.status}${score.own ? " (own family)" : ""}`), make("p", "why", score.reason));
    const items = talk.items.filter((item) => item.judge === score.judge && item.dim === score.dim);
    if (!items.length) continue;
    const list = make("ul");
    for (const item of items) list.append(drawItem(item));
    box.append(fold(`${items.length} items`, list, false));
  }
  return box;
}

function drawItem(item) {
  const row = make("li");
  const name = make("span", "", `${words(item.item)}: ${item.score}`);
  name.title = state.data.rubricByItem.get(`${item.dim}/${item.item}`) ?? "";
  row.append(name);
  (item.quotes ?? []).forEach((quote, place) => {
    const button = make("button", "quote", `“${quote}” (${item.ms[place] + 1})`);
    button.type = "button";
    button.addEventListener("click", () => goTo(row, item.ms[place], `judge/${item.judge}/${item.dim}/${item.item}`));
    row.append(button);
  });
  return row;
}

// Scroll to the stretch of a message that carries a mark, and show it for a moment.
function goTo(from, place, key) {
  const talk = from.closest(".talk");
  if (place > state.turn) setTurn(place);
  const message = talk.querySelector(`.message[data-place="${place}"]`);
  const spans = [...message.querySelectorAll(".hl")].filter((span) => JSON.parse(span.dataset.keys).includes(key));
  (spans[0] ?? message).scrollIntoView({ block: "center" });
  for (const span of spans) {
    span.classList.add("flash");
    setTimeout(() => span.classList.remove("flash"), 1800);
  }
}

// Everything up to a message is read; facts told by then are lit.
function setTurn(place) {
  const last = Number(byId("turn").max);
  state.turn = Math.min(Math.max(place, 0), last);
  byId("turn").value = state.turn;
  byId("turn-now").textContent = `${state.turn + 1} of ${last + 1}`;
  for (const message of byId("talks").querySelectorAll(".message")) {
    const own = Number(message.dataset.place);
    message.classList.toggle("later", own > state.turn);
    message.classList.toggle("now", own === state.turn && state.turn < last);
  }
  for (const fact of byId("talks").querySelectorAll(".fact")) lightFact(fact);
}

function lightFact(fact) {
  const told = Number(fact.dataset.told);
  const name = told <= state.turn ? "lit" : Number(fact.dataset.opened) <= state.turn ? "open" : "closed";
  for (const other of Object.keys(SIGNS)) fact.classList.toggle(other, other === name);
  fact.classList.toggle("now", told === state.turn && state.turn < Number(byId("turn").max));
  const light = fact.querySelector(".light");
  light.textContent = SIGNS[name];
  light.setAttribute("role", "img");
  light.setAttribute("aria-label", STATES[name]);
  light.title = STATES[name];
}

function step(by) {
  setTurn(state.turn + by);
  byId("talks").querySelector(".message.now")?.scrollIntoView({ block: "nearest" });
}

function pause() {
  clearInterval(state.timer);
  state.timer = 0;
  byId("play").textContent = "Play";
  byId("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (state.timer) {
    pause();
    return;
  }
  if (!state.open) return;
  if (state.turn >= Number(byId("turn").max)) setTurn(0);
  byId("play").textContent = "Pause";
  byId("play").setAttribute("aria-pressed", "true");
  state.timer = setInterval(() => {
    step(1);
    if (state.turn >= Number(byId("turn").max)) pause();
  }, 1100);
}

// The next conversation on the same scenario, of another agent first.
function nextBeside() {
  if (!state.open) return;
  const others = listSiblings(state.open);
  if (!others.length) return;
  openTalk(state.open, others[(others.indexOf(state.beside) + 1) % others.length]);
}
