import type { CommandName } from "../control/commands.ts";
import { formKey } from "./flash.ts";
import { type Html, html, type Part } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import { type PageContext, queryOf } from "./view.ts";

// Small parts that several panes use.

/** A form: what it runs, and the id of the part of the page that it is in. */
interface FormPlace {
  readonly context: PageContext;
  readonly action: CommandName;
  readonly at: string;
}

interface FormOptions extends FormPlace {
  readonly name?: string;
  readonly label?: string;
  /** It has fields that a person fills in: if it is rejected, it shows the reason itself. */
  readonly showsError?: boolean;
  /** Fields that a person does not see. */
  readonly hidden?: Readonly<Record<string, string | number>>;
}

/** A form that runs a command. Without a script the browser posts it, and is sent back to the page. */
export function form(options: FormOptions, ...content: Part[]): Html {
  const { context, action, at, name = "", label, showsError = false, hidden = {} } = options;
  const fields = Object.entries({ back: queryOf(context.view), at, ...hidden });
  const error = html`<p class="form-error" role="alert" data-error>${rejection(options) && context.flash?.text}</p>`;
  return html`<form method="post" action="/_sandbox/${action}" class="${name}"${label !== undefined && html` aria-label="${label}"`}>${fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}${content}${showsError && error}</form>`;
}

const rejection = ({ context, action, at }: FormPlace) =>
  context.flash?.rejected?.key === formKey(action, at) ? context.flash.rejected : undefined;

/** What was typed into a field of a form that was rejected. */
export const typed = (place: FormPlace, field: string, initial = ""): string =>
  rejection(place)?.fields.get(field) ?? initial;

/** A part that is folded. Pass the form in it: if it was rejected just now, the part is open. */
export const folded = (
  id: string,
  summary: Part,
  content: Part,
  place?: FormPlace,
  name = "more",
): Html =>
  html`<details class="${name}" id="${id}"${place && rejection(place) && html` open`}><summary>${summary}</summary>${content}</details>`;

/** The choices of a `select`. */
export const options = (
  choices: Iterable<readonly [value: string | number, text: string]>,
  chosen: string | number,
): Html[] =>
  [...choices].map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  );

/** A button that copies a text. */
export const copyButton = (text: string, what: string, label = "Copy"): Html =>
  html`<button type="button" class="copy" data-copy="${text}"${label === "Copy" && html` aria-label="Copy ${what}"`}>${icon("copy")}<span>${label}</span></button>`;

/** A block of text as a machine reads it. */
export const block = (text: string, what: string, name = ""): Html =>
  html`<div class="block ${name}"><pre tabindex="0" role="region" aria-label="${what}">${text}</pre>${copyButton(text, what)}</div>`;

/** The tone of a state. Its icon and its word mean the same. */
export type Tone = "good" | "bad" | "waiting" | "plain";

export const badge = (tone: Tone, shape: IconName | undefined, text: Part): Html =>
  html`<span class="badge ${tone}">${shape && icon(shape)}${text}</span>`;

/** A part of the page under its heading. */
export const card = (
  id: string,
  shape: IconName,
  title: string,
  beside: Part,
  ...content: Part[]
): Html =>
  html`<section class="card" id="${id}" aria-labelledby="${id}-title">
<div class="card-head"><h2 id="${id}-title" tabindex="-1">${icon(shape)}${title}</h2>${beside}</div>
${content}
</section>`;
