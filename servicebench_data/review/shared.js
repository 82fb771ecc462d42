"use strict";
// What the pages that people work with share. Texts go onto a page as text alone (textContent, value).
const byId = (id) => document.getElementById(id);

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function tell(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

// A cell that no spreadsheet takes for a formula and no comma or line break tears apart.
function guardCell(text) {
  const guarded = /^[=+\-@\t\r']/.test(text) ? "'" + text : text;
  return /[",\r\n;]/.test(guarded) ? '"' + guarded.replaceAll('"', '""') + '"' : guarded;
}

// Hands the person a CSV; returns its name, which ends with the day.
function saveTable(name, columns, rows) {
  const lines = rows.map((row) => row.map((value) => guardCell(String(value ?? "").trim())).join(","));
  const blob = new Blob([[columns.join(","), ...lines].join("\n") + "\n"], { type: "text/csv;charset=utf-8" });
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return link.download;
}
