/** Markup that is safe to send. Made by {@link html} alone. */
export interface Html {
  readonly markup: string;
}

/** What may stand in a template. Text is escaped; what is empty or `false` leaves nothing behind. */
export type Part = Html | string | number | false | null | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand between tags and inside quoted attributes. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);

// Known by where they were made: an object out of a JSON body must not pass for markup.
const made = new WeakSet<object>();

function textOf(part: Part): string {
  if (part === false || part === null || part === undefined) return "";
  if (typeof part !== "object") return escaped(String(part));
  if (Array.isArray(part)) return part.map(textOf).join("");
  return made.has(part) ? (part as Html).markup : escaped(String(part));
}

function safe(markup: string): Html {
  const one = { markup };
  made.add(one);
  return one;
}

/**
 * A template whose values are escaped unless they are markup themselves. Attributes are to be quoted.
 *
 * @example
 * ```ts
 * html`<p title="${title}">${rows.map((row) => html`<b>${row}</b>`)}</p>`;
 * ```
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  safe(texts.reduce((all, text, at) => all + textOf(parts[at - 1]) + text));
