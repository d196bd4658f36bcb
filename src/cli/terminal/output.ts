import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colour, if standard output is a terminal that shows it and `NO_COLOR` is not set. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Prints a warning, or an error without `--json`, on standard error. */
export const printError = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/**
 * Prints the result of a command: one JSON document with `--json`, otherwise the text. JSON leaves
 * some control characters as they are; in its strings, the visible form means the same.
 */
export function printResult(json: boolean, value: unknown, text: () => string): void {
  printLine(json ? printable(JSON.stringify(value, null, 2)) : text());
}

/** Text from elsewhere, with every character that could control the terminal made visible. */
export const printable = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Names and values in two columns. A value that is `undefined` is left out. */
export function formatFields(fields: readonly (readonly [name: string, value: unknown])[]): string {
  const present = fields.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `  ${paint("dim", name.padEnd(width))}  ${printable(text)}`;
    })
    .join("\n");
}

/** A table in which every column is as wide as its widest cell. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => (row[column] ?? "").length)),
  );
  const formatRow = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return clean.map((row) => formatRow(row).trimEnd()).join("\n");
}

/** What a list response holds beside its items, such as paging data; nothing if it holds no more. */
export const formatMeta = (meta: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(meta).length === 0 ? [] : [paint("dim", JSON.stringify(meta))];
