"use strict";
// Everything from the data goes onto the page as text; nothing is parsed as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("map");
const pen = canvas.getContext("2d");
const hidden = new Set();
const PAD = 40;
let view = { scale: 1, x: 0, y: 0 };
let hovered = -1;
let kept = -1;
let words = [];
let matches = data.points.map(() => true);
let frame = 0;

// Where the picture of size 1 lies on the screen before zooming: right of the panel where there is room.
function base() {
  const left = canvas.clientWidth > 700 ? 300 : 0;
  const width = canvas.clientWidth - left - 2 * PAD;
  const height = canvas.clientHeight - 2 * PAD;
  return { left: left + PAD, top: PAD, width: Math.max(width, 50), height: Math.max(height, 50) };
}

function toScreen(x, y) {
  const box = base();
  return [
    (box.left + x * box.width) * view.scale + view.x,
    (box.top + (1 - y) * box.height) * view.scale + view.y,
  ];
}

function isShown(place) {
  return !hidden.has(data.points[place][2]) && matches[place];
}

function draw() {
  frame = 0;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const crowd = data.points.length > 2000 ? 2.1 : data.points.length > 500 ? 3.4 : 6;
  const radius = Math.min(crowd * Math.sqrt(view.scale), 9);
  // The unassigned lie beneath; the rest in the order of the data, so that no stage covers another.
  const last = data.stages.length - 1;
  for (const under of [true, false]) {
    data.points.forEach(([x, y, stage], place) => {
      if ((stage === last) !== under || !isShown(place)) return;
      const [left, top] = toScreen(x, y);
      if (left < -9 || top < -9 || left > width + 9 || top > height + 9) return;
      pen.globalAlpha = under ? 0.55 : 0.75;
      pen.fillStyle = data.colours[stage];
      pen.beginPath();
      pen.arc(left, top, radius, 0, 7);
      pen.fill();
    });
  }
  pen.globalAlpha = 1;
  if (byId("labels").checked) drawLabels(width, height);
  for (const place of [kept, hovered]) {
    if (place < 0) continue;
    const [left, top] = toScreen(data.points[place][0], data.points[place][1]);
    pen.strokeStyle = "#000";
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(left, top, radius + 3, 0, 7);
    pen.stroke();
  }
}

// The largest topics first; a label that would lie on another waits until there is room for it.
function drawLabels(width, height) {
  pen.font = "600 12.5px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  const taken = [];
  for (const [text, x, y] of data.labels) {
    const [left, top] = toScreen(x, y);
    if (left < 0 || top < 0 || left > width || top > height) continue;
    const half = pen.measureText(text).width / 2 + 6;
    const box = [left - half, top - 11, left + half, top + 11];
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    taken.push(box);
    pen.strokeStyle = "rgba(255, 255, 255, .92)";
    pen.lineWidth = 4;
    pen.strokeText(text, left, top);
    pen.fillStyle = "#1d2733";
    pen.fillText(text, left, top);
  }
}

function redraw() {
  if (!frame) frame = requestAnimationFrame(draw);
}

function nearest(left, top) {
  let best = -1;
  let least = 14 * 14;
  data.points.forEach(([x, y], place) => {
    if (!isShown(place)) return;
    const [px, py] = toScreen(x, y);
    const distance = (px - left) ** 2 + (py - top) ** 2;
    if (distance < least) {
      least = distance;
      best = place;
    }
  });
  return best;
}

function showCard(place) {
  byId("card").hidden = place < 0;
  if (place < 0) return;
  const [, , stage, category, id, text] = data.points[place];
  byId("place").textContent = category === data.stages[stage] ? category : `${data.stages[stage]} · ${category}`;
  byId("text").textContent = text || "(no text)";
  byId("id").textContent = id;
}

function zoom(factor, left, top) {
  const scale = Math.min(Math.max(view.scale * factor, 0.6), 60);
  const real = scale / view.scale;
  view = { scale, x: left - (left - view.x) * real, y: top - (top - view.y) * real };
  redraw();
}

function search() {
  words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  matches = data.points.map(([, , stage, category, id, text]) => {
    const content = `${data.stages[stage]} ${category} ${id} ${text}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
  count();
}

function count() {
  const shown = data.points.filter((_, place) => isShown(place)).length;
  byId("found").textContent = shown === data.points.length ? "" : `${shown} of ${data.points.length} shown`;
  redraw();
}

function drawLegend() {
  const counts = data.stages.map((_, stage) => data.points.filter((point) => point[2] === stage).length);
  data.stages.forEach((name, stage) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [key, value] of [["width", 12], ["height", 12]]) dot.setAttribute(key, value);
    for (const [key, value] of [["cx", 6], ["cy", 6], ["r", 6], ["fill", data.colours[stage]]]) circle.setAttribute(key, value);
    dot.append(circle);
    const label = document.createElement("span");
    label.textContent = name;
    const number = document.createElement("span");
    number.className = "count";
    number.textContent = counts[stage];
    button.append(dot, label, number);
    button.addEventListener("click", () => {
      if (hidden.has(stage)) hidden.delete(stage);
      else hidden.add(stage);
      button.setAttribute("aria-pressed", String(!hidden.has(stage)));
      count();
    });
    row.append(button);
    byId("legend").append(row);
  });
}

let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, y: event.clientY, moved: false };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (drag) {
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    drag = { x: event.clientX, y: event.clientY, moved: true };
    canvas.classList.add("moving");
    view = { ...view, x: view.x + dx, y: view.y + dy };
  } else {
    hovered = nearest(event.offsetX, event.offsetY);
    showCard(hovered >= 0 ? hovered : kept);
  }
  redraw();
});
canvas.addEventListener("pointerup", (event) => {
  if (drag && !drag.moved) {
    kept = nearest(event.offsetX, event.offsetY);
    showCard(kept);
  }
  drag = null;
  canvas.classList.remove("moving");
  redraw();
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
}, { passive: false });
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (step) {
    event.preventDefault();
    view = { ...view, x: view.x + step[0], y: view.y + step[1] };
    redraw();
  } else if (event.key === "+" || event.key === "-") {
    zoom(event.key === "+" ? 1.3 : 1 / 1.3, canvas.clientWidth / 2, canvas.clientHeight / 2);
  }
});
byId("search").addEventListener("input", search);
byId("labels").addEventListener("change", redraw);
byId("reset").addEventListener("click", () => {
  view = { scale: 1, x: 0, y: 0 };
  redraw();
});
window.addEventListener("resize", redraw);
byId("title").textContent = data.title;
document.title = data.title;
drawLegend();
redraw();
