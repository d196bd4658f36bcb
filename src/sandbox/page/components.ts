import type { CommandName } from "../control/commands.ts";
import { type Html, html, type Part } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import { linkTo, queryOf, type View } from "./view.ts";

// Small parts that several panes use.

/** The fields of a form that bring the browser back to the same view. */
const backTo = (view: View, at: string): Html =>
  html`<input type="hidden" name="back" value="${queryOf(view)}"><input type="hidden" name="at" value="${at}">`;

/** A form that runs a command. Without a script the browser posts it, and is sent back to the page. */
export const form = ({ action, view, at, name = "", label }: FormPlace, ...content: Part[]): Html =>
  html`<form method="post" action="/_sandbox/${action}" class="${name}"${label === undefined ? "" : html` aria-label="${label}"`}>${backTo(view, at)}${content}</form>`;

interface FormPlace {
  readonly action: CommandName;
  readonly view: View;
  /** The id of the part of the page that it is in. */
  readonly at: string;
  readonly name?: string;
  readonly label?: string;
}

/** A button that copies a text. */
export const copyButton = (text: string, what: string): Html =>
  html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy ${what}">${icon("copy")}<span>Copy</span></button>`;

/** A block of text as a machine reads it. */
export const block = (text: string, what: string, name = ""): Html =>
  html`<div class="block ${name}"><pre tabindex="0" role="region" aria-label="${what}">${text}</pre>${copyButton(text, what)}</div>`;

/** The tone of a state; its icon and its word say the same. */
export type Tone = "good" | "bad" | "waiting" | "plain";

export const badge = (tone: Tone, shape: IconName, text: string): Html =>
  html`<span class="badge ${tone}">${icon(shape)}${text}</span>`;

/** Links to newer and older entries, for a list of more than one page. */
export function pager(
  view: View,
  list: "payments" | "deliveries",
  total: number,
  perPage: number,
): Html | undefined {
  const pages = Math.max(1, Math.ceil(total / perPage));
  const page = Math.min(view[list], pages);
  if (pages === 1) return undefined;
  const link = (to: number, text: string) =>
    to < 1 || to > pages
      ? html`<span class="off">${text}</span>`
      : html`<a href="${linkTo(view, { [list]: to }, list)}">${text}</a>`;
  const first = (page - 1) * perPage;
  return html`<nav class="pager" aria-label="Pages of ${list}">${link(page - 1, "Newer")}<span>${first + 1}–${Math.min(first + perPage, total)} of ${total.toLocaleString("en")}</span>${link(page + 1, "Older")}</nav>`;
}

/** One page of a list, newest first. The list itself has the oldest first. */
export function pageOf<T>(all: readonly T[], page: number, perPage: number): T[] {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const end = all.length - (Math.min(page, pages) - 1) * perPage;
  return all.slice(Math.max(end - perPage, 0), end).reverse();
}
