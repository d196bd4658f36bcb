type Cells = readonly string[];

/** A table in Markdown. A cell must have no bare `|` and no line break. */
export const markdownTable = (head: Cells, rows: readonly Cells[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
