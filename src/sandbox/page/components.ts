import type { CommandName } from "../control/commands.ts";
import type { PageContext } from "./context.ts";
import { formKey } from "./flash.ts";
import { type Html, html, type Part } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import { linkTo, queryOf, type View } from "./view.ts";

// Small parts that several panes use.

interface FormPlace {
  readonly context: PageContext;
  readonly action: CommandName;
  /** The id of the part of the page that it is in. */
  readonly at: string;
  readonly name?: string;
  readonly label?: string;
  /** It has fields that a person fills in: if it is rejected, it says why itself. */
  readonly showsError?: boolean;
}

/** A form that runs a command. Without a script the browser posts it, and is sent back to the page. */
export function form(place: FormPlace, ...content: Part[]): Html {
  const { context, action, at, name = "", label, showsError = false } = place;
  const back = html`<input type="hidden" name="back" value="${queryOf(context.view)}"><input type="hidden" name="at" value="${at}">`;
  const error = html`<p class="form-error" role="alert" data-error>${rejection(place) && context.flash?.text}</p>`;
  return html`<form method="post" action="/_sandbox/${action}" class="${name}"${label === undefined ? "" : html` aria-label="${label}"`}>${back}${content}${showsError && error}</form>`;
}

type FormName = Pick<FormPlace, "context" | "action" | "at">;

const rejection = ({ context, action, at }: FormName) =>
  context.flash?.rejected?.key === formKey(action, at) ? context.flash.rejected : undefined;

/** Whether this form was rejected just now, without a script: what folds it must be open. */
export const isRejected = (form: FormName): boolean => rejection(form) !== undefined;

/** What was typed into a field of a form that was rejected. */
export const typed = (form: FormName, field: string, initial = ""): string =>
  rejection(form)?.fields.get(field) ?? initial;

/** Fields that a person does not see. */
export const hiddenFields = (fields: Readonly<Record<string, string | number>>): Html[] =>
  Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );

/** A button that copies a text. */
export const copyButton = (text: string, what: string, label = "Copy"): Html =>
  html`<button type="button" class="copy" data-copy="${text}"${label === "Copy" && html` aria-label="Copy ${what}"`}>${icon("copy")}<span>${label}</span></button>`;

/** A block of text as a machine reads it. */
export const block = (text: string, what: string, name = ""): Html =>
  html`<div class="block ${name}"><pre tabindex="0" role="region" aria-label="${what}">${text}</pre>${copyButton(text, what)}</div>`;

/** The tone of a state; its icon and its word say the same. */
export type Tone = "good" | "bad" | "waiting" | "plain";

export const badge = (tone: Tone, shape: IconName, text: string): Html =>
  html`<span class="badge ${tone}">${icon(shape)}${text}</span>`;

/** Which faults the thing in this row met. */
export const faultNote = (what: string): Html =>
  html`<span class="row-why row-fault">${icon("bolt")}${what}</span>`;

/** Links that choose which rows of a list are shown, each with its count. */
export function filters({ view }: PageContext, { field, page, at, label, choices }: Filters): Html {
  const link = ([value, text, count]: Choice) =>
    html`<a href="${linkTo(view, { [field]: value, [page]: 1 }, at)}"${view[field] === value && html` aria-current="true"`}>${text}<small>${count.toLocaleString("en")}</small></a>`;
  return html`<nav class="filters" aria-label="${label}">${choices.map(link)}</nav>`;
}

type Choice = readonly [value: string, text: string, count: number];

interface Filters {
  /** The field of the view that holds the choice. */
  readonly field: "status" | "state" | "responses";
  readonly page: ListName;
  readonly at: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

type ListName = "payments" | "deliveries" | "requests";

/** How many rows of a list one page has. */
const PER_PAGE = 10;

/** Links to newer and older entries, for a list of more than one page. */
export function pager(view: View, list: ListName, total: number): Html | undefined {
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const page = Math.min(view[list], pages);
  if (pages === 1) return undefined;
  const link = (to: number, text: string) =>
    to < 1 || to > pages
      ? html`<span class="off">${text}</span>`
      : html`<a href="${linkTo(view, { [list]: to }, list)}">${text}</a>`;
  const first = (page - 1) * PER_PAGE;
  return html`<nav class="pager" aria-label="Pages of ${list}">${link(page - 1, "Newer")}<span>${first + 1}–${Math.min(first + PER_PAGE, total)} of ${total.toLocaleString("en")}</span>${link(page + 1, "Older")}</nav>`;
}

/** One page of a list, newest first. The list itself has the oldest first. */
export function pageOf<T>(all: readonly T[], page: number): T[] {
  const pages = Math.max(1, Math.ceil(all.length / PER_PAGE));
  const end = all.length - (Math.min(page, pages) - 1) * PER_PAGE;
  return all.slice(Math.max(end - PER_PAGE, 0), end).reverse();
}
