import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { jsonText } from "../../internal/json.ts";
import { unicodeEscape, visible } from "../../internal/visible.ts";

type Style = Parameters<typeof styleText>[0];

// Every text that the command line writes goes through `write`. It makes control characters visible,
// so that no text of a service, a file or an argument can control the terminal. The escapes of `paint`
// pass, because they are marked with a word that no other text can hold.
const PAINT_MARK = `\0${randomUUID()}\0`;

/** Colour, if standard output is a terminal that shows it and `NO_COLOR` is not set. */
export const paint = (style: Style, text: string): string =>
  styleText(style, visible(text), { stream: process.stdout }).replaceAll("\u001b", PAINT_MARK);

/** A stream that takes text. */
type TextStream = Pick<NodeJS.WritableStream, "write">;

/** Writes text to the terminal or a file. */
export const write = (stream: TextStream, text: string): void => {
  stream.write(text.split(PAINT_MARK).map(visible).join("\u001b"));
};

/** Takes the line that the cursor is in off a terminal. */
export const clearLine = (stream: TextStream): void => {
  stream.write("\r\u001b[2K");
};

export const printLine = (text: string): void => write(process.stdout, `${text}\n`);

/** Prints a warning, or an error without `--json`, on standard error. */
export const printError = (text: string): void => write(process.stderr, `${text}\n`);

/** Prints the result of a command: one JSON document with `--json`, otherwise the text. */
export function printResult(json: boolean, value: unknown, text: () => string): void {
  printLine(json ? jsonText(value, 2) : text());
}

/** Text from elsewhere in one line: a line break in it must not begin another row. */
export const printable = (text: string): string =>
  visible(text).replace(
    /[\n\t\u2028\u2029]/g,
    (one) => ({ "\n": "\\n", "\t": "\\t" })[one] ?? unicodeEscape(one),
  );

/** A value from a service in one line. */
export const asText = (value: unknown): string =>
  printable(typeof value === "string" ? value : jsonText(value));

/** A value from a service as the text of a cell: it may be of any type. */
export const cellText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : jsonText(value);
};
