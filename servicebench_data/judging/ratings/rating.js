// Everything from the data goes onto the page as text; nothing is parsed as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const PREFIX = "servicebench-rating/";
const POINTS = [1, 2, 3, 4, 5];
const drafts = new Map();
let current = 0;
let focused = 0;
let canSave = true;
let isUnsaved = false;
let showAnchors = true;

function keyOf(conversation) {
  return PREFIX + JSON.stringify([data.experiment, data.rater, conversation.id, conversation.sha256]);
}

function load() {
  byId("rater").value = data.rater;
  byId("rater").readOnly = Boolean(data.rater);
  try {
    byId("rater").value ||= localStorage.getItem(PREFIX + "rater") || "";
    for (const conversation of data.conversations) {
      const saved = localStorage.getItem(keyOf(conversation));
      if (saved) drafts.set(conversation, JSON.parse(saved));
    }
  } catch {
    warnUnsaved("This browser does not save for this page: export before you close it.");
  }
}

function warnUnsaved(text) {
  canSave = false;
  tell(text);
}

// Keeps the scores of a conversation in the browser; without its store they live as long as the page does.
function save(conversation) {
  isUnsaved = true;
  if (!canSave) return;
  try {
    const draft = drafts.get(conversation);
    if (draft) localStorage.setItem(keyOf(conversation), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(conversation));
  } catch {
    warnUnsaved("The browser's store is full: export before you close this page.");
  }
}

function draftOf(conversation) {
  return drafts.get(conversation) ?? { scores: {}, comment: "", rated_at: "" };
}

function change(values) {
  const conversation = data.conversations[current];
  drafts.set(conversation, { ...draftOf(conversation), ...values, rated_at: new Date().toISOString() });
  save(conversation);
  drawProgress();
}

function isDone(conversation) {
  return data.questions.every((question) => draftOf(conversation).scores[question.id]);
}

function drawProgress() {
  const done = data.conversations.filter(isDone).length;
  const begun = data.conversations.filter((entry) => Object.keys(draftOf(entry).scores).length).length - done;
  byId("bar").max = Math.max(data.conversations.length, 1);
  byId("bar").value = done;
  byId("progress").textContent = `${done} of ${data.conversations.length} rated${begun ? `, ${begun} begun` : ""}`;
}

function openConversation(place) {
  if (!data.conversations[place]) return;
  current = place;
  focused = Math.max(data.questions.findIndex((question) => !draftOf(data.conversations[place]).scores[question.id]), 0);
  drawConversation();
  drawQuestions();
  byId("reading").scrollTop = 0;
  byId("rating").scrollTop = 0;
  window.scrollTo(0, 0);
  byId("reading").focus({ preventScroll: true });
}

function fill(list, texts) {
  list.replaceChildren(...texts.map((text) => make("li", text)));
}

function drawConversation() {
  const conversation = data.conversations[current];
  byId("place").textContent = `Conversation ${current + 1} of ${data.conversations.length}`;
  fill(byId("loss"), conversation.loss);
  fill(byId("events"), conversation.events);
  byId("transcript").replaceChildren(...conversation.transcript.map(([role, text]) => {
    const line = make("li", undefined, role);
    line.append(make("b", role === "agent" ? "Agent" : "Customer"), text);
    return line;
  }));
  byId("comment").value = draftOf(conversation).comment;
  byId("before").disabled = current === 0;
  byId("after").disabled = current === data.conversations.length - 1;
  drawProgress();
}

const PARTS = { justice: "The agent", realism: "The customer" };

function drawQuestions() {
  const box = byId("questions");
  const hadFocus = box.contains(document.activeElement);
  box.replaceChildren();
  let about = "";
  data.questions.forEach((question, place) => {
    if (question.about !== about) box.append(make("p", PARTS[question.about], "part"));
    about = question.about;
    box.append(drawQuestion(question, place));
  });
  const here = box.querySelector(".current");
  here?.scrollIntoView({ block: "nearest" });
  // On the question, not on a button of it: Enter must not give a score.
  if (hadFocus) here?.focus({ preventScroll: true });
}

function drawQuestion(question, place) {
  const score = draftOf(data.conversations[current]).scores[question.id];
  const part = make("section", undefined, place === focused ? "question current" : "question");
  part.tabIndex = -1;
  const title = make("h3", question.title);
  title.id = `question-${question.id}`;
  const text = make("p", question.question);
  text.id = `text-${question.id}`;
  const group = make("div", undefined, "scores");
  group.setAttribute("role", "group");
  group.setAttribute("aria-labelledby", `${title.id} ${text.id}`);
  for (const point of POINTS) {
    const button = make("button", String(point));
    button.type = "button";
    button.setAttribute("aria-pressed", String(score === point));
    button.setAttribute("aria-label", describePoint(question, point));
    button.addEventListener("click", () => {
      focused = place;
      give(score === point ? 0 : point);
    });
    group.append(button);
  }
  part.append(title, text, group);
  if (place === focused && showAnchors) part.append(drawAnchors(question, score));
  part.addEventListener("click", () => {
    if (focused !== place) focusQuestion(place);
  });
  return part;
}

// What a point means is said where one list of meanings says it all.
function describePoint(question, point) {
  return question.helps.length === 1 ? `${point}: ${question.helps[0].anchors[point - 1]}` : `${point} of 5, ${question.title}`;
}

function drawAnchors(question, score) {
  const box = make("div", undefined, "anchors");
  for (const help of question.helps) {
    if (help.title) box.append(make("h4", `${help.title}: ${help.question}`));
    const list = make("ol");
    help.anchors.forEach((text, index) => list.append(make("li", text, index + 1 === score ? "given" : undefined)));
    box.append(list);
  }
  return box;
}

function focusQuestion(place) {
  focused = Math.min(Math.max(place, 0), data.questions.length - 1);
  drawQuestions();
}

// Gives the question in focus a score, or takes it back, and goes on to the next question without one.
function give(point) {
  const conversation = data.conversations[current];
  const question = data.questions[focused];
  if (!conversation) return;
  const scores = { ...draftOf(conversation).scores };
  if (point) scores[question.id] = point;
  else delete scores[question.id];
  change({ scores });
  if (point) {
    const after = data.questions.findIndex((entry, place) => place > focused && !scores[entry.id]);
    if (after >= 0) focused = after;
  }
  if (isDone(conversation)) tell(data.conversations.every(isDone) ? "Everything is rated; export the file." : "");
  drawQuestions();
}

function openNext() {
  const places = data.conversations.map((_, place) => place).filter((place) => !isDone(data.conversations[place]));
  const next = places.find((place) => place > current) ?? places.find((place) => place !== current) ?? places[0];
  if (next === undefined) tell("Everything is rated; export the file.");
  else openConversation(next);
}

function undo() {
  const conversation = data.conversations[current];
  drafts.delete(conversation);
  save(conversation);
  openConversation(current);
}

function exportFile() {
  const rater = byId("rater").value.trim();
  byId("rater").classList.toggle("wrong", !rater);
  if (!rater) {
    tell("Fill in your name or code first: it stands beside each score.");
    byId("rater").focus();
    return;
  }
  const given = data.conversations.filter((entry) => Object.keys(draftOf(entry).scores).length);
  if (!given.length) {
    tell("Nothing is rated yet.");
    return;
  }
  const rows = given.map((conversation) => {
    const { scores, comment, rated_at } = draftOf(conversation);
    const values = { conversation_id: conversation.id, transcript_sha256: conversation.sha256, rater, ...scores, comment, rated_at };
    return data.columns.map((name) => values[name]);
  });
  const file = saveTable(`ratings-${data.experiment}-${rater.replace(/[^\w-]+/g, "-")}`, data.columns, rows);
  isUnsaved = false;
  tell(`${given.length} conversations exported to ${file}; hand it to: servicebench review --apply FILE.`);
}

const KEYS = {
  j: () => openConversation(current + 1), ArrowRight: () => openConversation(current + 1),
  k: () => openConversation(current - 1), ArrowLeft: () => openConversation(current - 1),
  ArrowDown: () => focusQuestion(focused + 1), ArrowUp: () => focusQuestion(focused - 1),
  0: () => give(0), n: openNext, Enter: openNext, u: undo, e: exportFile,
  a: () => { showAnchors = !showAnchors; drawQuestions(); },
  b: () => { byId("background").open = !byId("background").open; },
  c: () => byId("comment").focus(), "?": () => byId("keys").showModal(),
};
for (const point of POINTS) KEYS[point] = () => give(point);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const inField = /^(INPUT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && inField) {
    event.target.blur();
    byId("reading").focus();
    return;
  }
  const isPress = event.key === "Enter" && /^(BUTTON|SUMMARY)$/.test(event.target.tagName);
  if (inField || isPress || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
// Where the browser keeps nothing, closing the page would lose what was not exported.
window.addEventListener("beforeunload", (event) => {
  if (!canSave && isUnsaved) event.preventDefault();
});

byId("title").textContent = data.title;
byId("intro").textContent = data.intro;
byId("export").addEventListener("click", exportFile);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("before").addEventListener("click", () => openConversation(current - 1));
byId("after").addEventListener("click", () => openConversation(current + 1));
byId("open").addEventListener("click", openNext);
byId("comment").addEventListener("input", () => change({ comment: byId("comment").value }));
byId("rater").addEventListener("input", () => {
  byId("rater").classList.remove("wrong");
  try {
    localStorage.setItem(PREFIX + "rater", byId("rater").value);
  } catch {
    canSave = false;
  }
});
load();
if (data.conversations.length) {
  const first = data.conversations.findIndex((conversation) => !isDone(conversation));
  openConversation(Math.max(first, 0));
} else {
  byId("place").textContent = "There is nothing to rate.";
  byId("background").hidden = true;
  byId("rating").hidden = true;
  drawProgress();
}
