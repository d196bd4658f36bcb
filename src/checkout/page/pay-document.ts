import { html, inline, renderPage } from "../../html/html.ts";
import { pageHeaders } from "../../html/serving.ts";
import { filled } from "../rules/customer-messages.ts";
import type { PageSettings } from "./page-options.ts";
import type { View, Words } from "./pay-view.ts";

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
  // A phone number stays on one line.
  const values = {
    merchant: name,
    contact: contact?.replaceAll(/(?<=\d) (?=\d)/g, "\u00a0") ?? "",
  };
  const help = contact !== undefined && html`<p class="hint">${filled(texts.contact, values)}</p>`;
  // Without scripts, the browser asks at once for the next state, and the server answers when there is one.
  const next =
    isPending &&
    html`<noscript><meta http-equiv="refresh" content="${String(reloadAfterS)};url=?wait=1&amp;lang=${lang}"></noscript>`;
  return renderPage({
    lang,
    title,
    style,
    head: html`<link rel="icon" href="data:,">${next}`,
    body: html`<header>${logo === undefined ? name : html`<img src="${logo}" alt="${name}">`}</header>
${main}
<footer>${help}<nav aria-label="${texts.languages}"><ul>${switches}</ul></nav></footer>
${script}`,
  });
}
