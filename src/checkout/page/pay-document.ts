import { type Html, html, inline, type Part, renderPage } from "../../html/html.ts";
import { pageHeaders } from "../../html/serving.ts";
import { filled } from "../rules/customer-messages.ts";
import type { PageSettings } from "./page-options.ts";
import type { View } from "./pay-view.ts";
import type { Words } from "./words.ts";

// The bundled stylesheet and script: see scripts/page-assets.ts.
declare const PAY_STYLE: string;
declare const PAY_SCRIPT: string;

/** Black or white, whichever has the higher contrast on a colour (WCAG 2.2, relative luminance). */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9a-f]{2}/gi) ?? []).map((hex) => {
    const share = Number.parseInt(hex, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** What is equal on every page. */
export type PayFrame = ReturnType<typeof payFrame>;

/** The style, the script and the headers of every page: their digests stand in the policy. */
export function payFrame({ color, frameAncestors }: PageSettings) {
  const brand =
    color === undefined ? "" : `:root{--brand:${color};--on-brand:${readableOn(color)}}`;
  const style = inline("style", PAY_STYLE + brand);
  const script = inline("script", PAY_SCRIPT);
  const policy = `style-src ${style.source}; script-src ${script.source}; connect-src 'self'; img-src 'self' data:; form-action 'self'`;
  const headers = {
    ...pageHeaders(policy, frameAncestors),
    "content-type": "text/html; charset=utf-8",
    "x-robots-tag": "noindex, nofollow",
  };
  return { style: style.element, script: script.element, headers };
}

/** `DM` for Duka la Mama Njeri: of words that begin with a small letter, none. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((one) => /^[\p{L}\p{N}]/u.test(one));
  const great = words.filter((one) => !/^\p{Ll}/u.test(one));
  const letters = new Intl.Segmenter().segment.bind(new Intl.Segmenter());
  return (great.length > 0 ? great : words)
    .slice(0, 2)
    .map((one) => [...letters(one)][0]?.segment.toUpperCase())
    .join("");
}

/** A contact that can be tapped: a phone number, an address for mail or of a page. */
function contactLink(contact: string): Part {
  // A phone number stays on one line.
  const shown = contact.replaceAll(/(?<=\d) (?=\d)/g, "\u00a0");
  const href = /^\+?[\d\s().-]{6,}$/.test(contact)
    ? `tel:${contact.replace(/[^\d+]/g, "")}`
    : /^[^\s@<>]+@[^\s@<>]+$/.test(contact)
      ? `mailto:${contact}`
      : undefined;
  return href === undefined ? shown : html`<a href="${href}">${shown}</a>`;
}

/** How to reach the merchant; it is printed, too. */
function helpLine(text: string, merchant: string, contact: string): Html {
  const [before = "", ...after] = filled(text, { merchant }).split("{contact}");
  const parts = after.map((part) => html`${contactLink(contact)}${part}`);
  return html`<p class="hint">${before}${parts}</p>`;
}

/** Writes a whole page. */
export function payDocument(
  { settings, lang, texts }: Words,
  { title, main, isPending }: View,
  { style, script }: PayFrame,
  reloadAfterS: number,
): string {
  const { name, contact, logo } = settings.merchant;
  const switches = [...settings.texts].map(([code, { language }]) =>
    code === lang
      ? html`<li><a aria-current="true" href="?lang=${code}" lang="${code}">${language}</a></li>`
      : html`<li><a href="?lang=${code}" lang="${code}" hreflang="${code}">${language}</a></li>`,
  );
  const help = contact !== undefined && helpLine(texts.contact, name, contact);
  // Without scripts, the browser asks at once for the next state, and the server answers when there is one.
  const next =
    isPending &&
    html`<noscript><meta http-equiv="refresh" content="${String(reloadAfterS)};url=?wait=1&amp;lang=${lang}"></noscript>`;
  return renderPage({
    lang,
    title,
    style,
    head: html`<link rel="icon" href="data:,">${next}`,
    body: html`<header>${logo === undefined ? html`<span class="initials" aria-hidden="true">${initialsOf(name)}</span>${name}` : html`<img src="${logo}" alt="${name}">`}</header>
${main}
<footer>${help}<nav aria-label="${texts.languages}"><ul>${switches}</ul></nav></footer>
${script}`,
  });
}
