import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colour where the screen shows it, and nowhere else: `NO_COLOR` and pipes are heeded. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** For what is no result: warnings, and errors without `--json`. */
export const warn = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** The result of a command: one JSON document with `--json`, words without. */
export function result(json: boolean, value: unknown, words: () => string): void {
  say(json ? JSON.stringify(value, null, 2) : words());
}

/** Text from elsewhere, with what could steer a terminal made visible. */
export const printable = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Names and values in two columns. Whatever is `undefined` is left out. */
export function columns(rows: readonly (readonly [name: string, value: unknown])[]): string {
  const shown = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `  ${paint("dim", name.padEnd(width))}  ${printable(text)}`;
    })
    .join("\n");
}

/** A table for the eye: every column as wide as its widest cell. */
export function grid(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = (clean[0] ?? []).map((_, at) =>
    Math.max(...clean.map((row) => (row[at] ?? "").length)),
  );
  return clean
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
