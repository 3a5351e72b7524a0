// A table of text: the first columns as far as they are words flush left, figures flush right.

export function table(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const isFigure = (at) => rows.every((row) => /^[\d.]+( ms)?$/.test(String(row[at])));
  const line = (row) =>
    row
      .map((cell, at) => (isFigure(at) ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
      .join("  ")
      .trimEnd();
  return `\n${cells.map(line).join("\n")}`;
}
