import { type Html, html } from "../page/html.ts";

/** Text of the document with its `code`. */
export const inline = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

export const paragraphs = (text: string): Html =>
  html`${text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((part) => html`<p>${inline(part)}</p>`)}`;

export const json = (value: unknown): Html =>
  html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;
