import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { jsonText } from "../../internal/json.ts";
import { unicodeEscape, visible } from "../../internal/visible.ts";
import type { Io, TextOutput } from "../io.ts";

type Style = Parameters<typeof styleText>[0];

// Every text that the command line writes goes through `write`. It makes control characters visible,
// so that no text of a service, a file or an argument can control the terminal. The escapes of `paint`
// pass, because they are marked with a word that no other text can hold.
const PAINT_MARK = `\0${randomUUID()}\0`;

/** Text in a colour, on an output that shows it. */
export const paint = (style: Style, text: string): string =>
  styleText(style, visible(text), { validateStream: false }).replaceAll("\u001b", PAINT_MARK);

type Target = Pick<TextOutput, "write" | "hasColour">;

/** Text as an output shows it: in its colours, or plain. */
export const rendered = (text: string, hasColour = false): string => {
  const [first = "", ...marked] = text.split(PAINT_MARK).map(visible);
  const parts = hasColour
    ? marked.map((part) => `\u001b${part}`)
    : marked.map((part) => part.replace(/^\[\d{1,3}m/, ""));
  return [first, ...parts].join("");
};

/** Writes text to the terminal or a file. */
export const write = (output: Target, text: string): void => {
  output.write(rendered(text, output.hasColour));
};

/** Takes the line that the cursor is in off a terminal. */
export const clearLine = (output: Target): void => {
  output.write("\r\u001b[2K");
};

export const printLine = ({ stdout }: Io, text: string): void => write(stdout, `${text}\n`);

/** Prints a warning, or an error without `--json`, on standard error. */
export const printError = ({ stderr }: Io, text: string): void => write(stderr, `${text}\n`);

/** Prints the result of a command: one JSON document with `--json`, otherwise the text. */
export function printResult(io: Io, json: boolean, value: unknown, text: () => string): void {
  printLine(io, json ? jsonText(value, 2) : text());
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
