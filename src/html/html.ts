import { sha256Hex } from "#hmac";

// Markup is known by its class: an object from a JSON body must not pass for it.
class Markup {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Markup that is safe to send. Only {@link html} makes it. */
export type Html = Markup;

/** A value in a template. Text is escaped; `false`, `null` and `undefined` give nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is safe between tags and inside quoted attributes, of HTML and of XML. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);

function markupOf(part: Part): string {
  if (part === false || part === null || part === undefined) return "";
  if (typeof part !== "object") return escapeMarkup(String(part));
  if (Array.isArray(part)) return part.map(markupOf).join("");
  return part instanceof Markup ? part.markup : escapeMarkup(String(part));
}

/**
 * A template. Its values are escaped, unless they are markup themselves. Quote every attribute.
 *
 * @example
 * ```ts
 * html`<p title="${title}">${rows.map((row) => html`<b>${row}</b>`)}</p>`;
 * ```
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Markup(texts.reduce((all, text, at) => all + markupOf(parts[at - 1]) + text));

/** A stylesheet or a script inside a page, and the source that its content security policy must name. */
export interface Inline {
  readonly element: Html;
  readonly source: string;
}

/**
 * Puts text of ours into a page, so that it needs no further request. The text is not escaped: it must never hold what
 * a user sent.
 */
export function inline(tag: "style" | "script", text: string): Inline {
  const digest = sha256Hex(text).match(/../g) ?? [];
  const bytes = String.fromCharCode(...digest.map((byte) => Number.parseInt(byte, 16)));
  return {
    element: new Markup(`<${tag}>${text}</${tag}>`),
    source: `'sha256-${btoa(bytes)}'`,
  };
}

/** What a whole page consists of. */
export interface PageParts {
  readonly title: Part;
  /** The address of its stylesheet, or the stylesheet itself. */
  readonly style: string | Html;
  readonly body: Part;
  /** Default: no icon. */
  readonly head?: Part;
  /** @default "en" */
  readonly lang?: string;
}

/** A whole page. It loads its own stylesheet, and nothing from elsewhere. */
export const renderPage = ({ title, style, body, head, lang = "en" }: PageParts): string =>
  html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${typeof style === "string" ? html`<link rel="stylesheet" href="${style}">` : style}
${head ?? html`<link rel="icon" href="data:,">`}
</head>
<body>
${body}
</body>
</html>`.markup;
