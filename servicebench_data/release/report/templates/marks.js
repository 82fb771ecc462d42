// Finding quotes in a text, and a text cut into stretches that carry them.

// Where a quote stands: word for word, else whatever white space and capitals; null where it does not.
function findQuote(text, quote) {
  if (!quote || !quote.trim()) return null;
  const exact = text.indexOf(quote);
  if (exact >= 0) return [exact, exact + quote.length];
  const pattern = quote.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = new RegExp(pattern, "iu").exec(text);
  return found ? [found.index, found.index + found[0].length] : null;
}

// Stretches of a text; each has the marks that cover it. Marks are { quote, kind, tip, key }.
function cutText(text, marks) {
  const spans = [];
  for (const mark of marks) {
    const span = findQuote(text, mark.quote);
    if (span) spans.push({ start: span[0], end: span[1], mark });
  }
  const cuts = [...new Set([0, text.length, ...spans.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, place) => {
    const end = cuts[place + 1];
    return { text: text.slice(start, end), marks: spans.filter((span) => span.start <= start && span.end >= end).map((span) => span.mark) };
  });
}

// A text as nodes: plain text, and marked stretches with what they mean in their title.
function markText(text, marks) {
  const holder = document.createDocumentFragment();
  for (const stretch of cutText(text, marks)) {
    if (!stretch.marks.length) {
      holder.append(stretch.text);
      continue;
    }
    const element = make("span", ["hl", ...new Set(stretch.marks.map((mark) => mark.kind))].join(" "), stretch.text);
    element.title = [...new Set(stretch.marks.map((mark) => mark.tip))].join("\n");
    element.dataset.keys = JSON.stringify(stretch.marks.map((mark) => mark.key));
    holder.append(element);
  }
  return holder;
}
