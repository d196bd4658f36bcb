import type { TextOutput } from "../io.ts";
import { asText, paint, printable } from "./output.ts";

type Style = Parameters<typeof paint>[0];

/** The colours of states and statuses: what is well, what waits, and what a person must look at. */
const STATE_STYLES: Readonly<Record<string, Style>> = {
  ...Object.fromEntries(
    ["completed", "delivered", "succeeded", "paid", "done", "resolved"].map((one) => [
      one,
      "green",
    ]),
  ),
  ...Object.fromEntries(
    ["pending", "open", "asked", "due", "in_flight", "unknown", "unclear"].map((one) => [
      one,
      "yellow",
    ]),
  ),
  failed: "red",
};

const STATE_NAMES: readonly string[] = ["state", "status", "goods"];

/** Text as it is, or in the colour of the state that it names. */
function paintState(name: string, value: string, text: string): string {
  const style = STATE_NAMES.includes(name) ? STATE_STYLES[value] : undefined;
  return style === undefined ? text : paint(style, text);
}

/** Names and values in two columns. A value that is `undefined` is left out. */
export function formatFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const present = fields.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) => {
      const text = asText(value);
      return `  ${paint("dim", printable(name).padEnd(width))}  ${paintState(name, text, text)}`;
    })
    .join("\n");
}

/** The width of a terminal that does not say it. */
const DEFAULT_COLUMNS = 80;

/** What a table is printed on: it fits a terminal. */
export type Screen = Pick<TextOutput, "isTTY" | "columns">;

/** How wide a table may be: a program that reads a pipe gets each row in one line. */
function widthOf({ isTTY, columns }: Screen): number {
  return isTTY ? columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
}

const GAP = "  ";
/** The narrowest column of a table that is too wide. */
const MIN_WIDTH = 8;

const longest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));

/** The columns of a table, the widest made narrower until it fits: first between words, then inside of them. */
function fittingWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
  const widths = columns.map(longest);
  const words = columns.map((cells) => longest(cells.flatMap((cell) => cell.split(" "))));
  const gaps = GAP.length * (widths.length - 1);
  const isTooWide = () => widths.reduce((sum, one) => sum + one, gaps) > width;
  for (const narrowest of [words, words.map(() => MIN_WIDTH)]) {
    while (isTooWide()) {
      // The first column names the row: it is broken nowhere.
      const wider = [...widths.keys()].filter(
        (column) => column > 0 && (widths[column] ?? 0) > Math.max(narrowest[column] ?? 0, 1),
      );
      const [widest] = wider.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
      if (widest === undefined) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}

/** Text in lines of at most this width. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/**
 * A table in which every column is as wide as its widest cell. If it is wider than the terminal, the text in its
 * widest columns takes several lines. A first row with `state` or `status` in it gives that column its colours.
 *
 * @param indent - How far the table is indented.
 */
export function formatTable(
  screen: Screen,
  rows: readonly (readonly string[])[],
  indent = 0,
): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = fittingWidths(clean, widthOf(screen) - indent);
  const head = clean[0] ?? [];
  const formatRow = (row: readonly string[]) => {
    const cells = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const last = cells.findLastIndex((lines) => (lines[line] ?? "") !== "");
      return cells
        .slice(0, last + 1)
        .map((lines, column) => {
          const text = lines[line] ?? "";
          const padded = column === last ? text : text.padEnd(widths[column] ?? 0);
          return paintState(head[column] ?? "", row[column] ?? "", padded);
        })
        .join(GAP);
    }).join("\n");
  };
  return clean.map(formatRow).join("\n");
}
