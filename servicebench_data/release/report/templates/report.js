"use strict";
// The page's own behaviour: colours, copying, which view is shown, where in the report one is.
const byId = (id) => document.getElementById(id);

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

const THEMES = [["", "◐", "as the system"], ["light", "☀", "light"], ["dark", "☾", "dark"]];

function setTheme(name) {
  const [theme, sign, words] = THEMES.find((entry) => entry[0] === name) ?? THEMES[0];
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  byId("theme").textContent = sign;
  byId("theme").setAttribute("aria-label", `Colours: ${words}`);
  byId("theme").title = `Colours: ${words}`;
  try {
    localStorage.setItem("servicebench-theme", theme);
  } catch {
    // A browser that saves nothing for this page still shows it.
  }
}

function savedTheme() {
  try {
    return localStorage.getItem("servicebench-theme") ?? "";
  } catch {
    return "";
  }
}

async function copyCode(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1600);
}

function showView(name) {
  const isViewer = name === "transcripts";
  byId("viewer").hidden = !isViewer;
  byId("report").hidden = isViewer;
  for (const link of document.querySelectorAll("[data-view]")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function followContents() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const [name, link] of links) {
        if (name === entry.target.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const name of links.keys()) watcher.observe(byId(name));
}

byId("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? "";
  setTheme(THEMES[(THEMES.findIndex((entry) => entry[0] === now) + 1) % THEMES.length][0]);
});
for (const button of document.querySelectorAll(".copy")) button.addEventListener("click", () => copyCode(button));
setTheme(savedTheme());
followContents();
