import { type Html, html, type Part } from "../../html/html.ts";
import { type IconName, icon } from "../../html/icons.ts";
import { COMMANDS, type CommandName } from "../control/commands.ts";
import { timeOf } from "./page-format.ts";
import { type PageContext, queryOf } from "./page-view.ts";

// Small parts that several panes use.

/** A form: what it runs, and the id of the part of the page that it is in. */
export interface FormPlace {
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
  const error = html`<p class="form-error bad" role="alert" data-error>${rejectionOf(options) && context.flash?.text}</p>`;
  return html`<form method="post" action="/_sandbox/${action}" class="${name}"${label !== undefined && html` aria-label="${label}"`}>${fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}${content}${showsError && error}</form>`;
}

/** A form with one field, and its button beside it. */
export const inlineForm = (options: FormOptions, field: Html, text: string): Html =>
  form(
    { ...options, name: `inline line ${options.name ?? ""}`, showsError: true },
    field,
    html`<button>${text}</button>`,
  );

/** The fields of a form that was rejected just now. */
function rejectionOf({ context, action, at }: FormPlace): URLSearchParams | undefined {
  const { rejected } = context.flash ?? {};
  return rejected?.action === action && rejected.at === at ? rejected.fields : undefined;
}

/** What was typed into a field of a form that was rejected. */
const typed = (place: FormPlace, field: string, initial = ""): string =>
  rejectionOf(place)?.get(field) ?? initial;

/** A field, with what was typed into it. It is marked if the form was rejected because of it. */
export function input(
  place: FormPlace,
  field: string,
  label: Part,
  attributes: Part,
  initial = "",
): Html {
  const error = rejectionOf(place) === undefined ? "" : (place.context.flash?.text ?? "");
  const isNamed = new RegExp(`\\b${field}\\b`).test(error);
  const isOnly = error !== "" && COMMANDS[place.action].fields.length === 1;
  return html`<label class="for-${field}">${label}<input name="${field}" value="${typed(place, field, initial)}" autocomplete="off"${attributes}${(isNamed || isOnly) && html` aria-invalid="true" autofocus`}></label>`;
}

interface ButtonOptions {
  readonly hidden?: FormOptions["hidden"];
  readonly name?: string;
  /** Its accessible name, if its text does not name what it acts on. */
  readonly label?: string;
  readonly attributes?: Part;
}

/** A button that runs a command. */
export function button(
  context: PageContext,
  at: string,
  action: CommandName,
  text: Part,
  { hidden = {}, name = "quiet", label, attributes }: ButtonOptions = {},
): Html {
  return form(
    { context, at, action, hidden },
    html`<button class="${name}"${label !== undefined && html` aria-label="${label}"`}${attributes}>${text}</button>`,
  );
}

/** A part that is folded. Pass the form in it: if it was rejected just now, the part is open. */
export const folded = (
  id: string,
  summary: Part,
  content: Part,
  name = "more",
  place?: FormPlace,
): Html =>
  html`<details class="${name}" id="${id}"${place && rejectionOf(place) && html` open`}><summary>${summary}</summary>${content}</details>`;

/** A field with choices. */
export function select(
  place: FormPlace,
  field: string,
  label: Part,
  choices: Iterable<readonly [value: string | number, text: string]>,
  initial: string | number = "",
): Html {
  const chosen = typed(place, field, String(initial));
  const option = ([value, text]: readonly [string | number, string]) =>
    html`<option value="${value}"${String(value) === chosen && html` selected`}>${text}</option>`;
  return html`<label>${label}<select name="${field}">${[...choices].map(option)}</select></label>`;
}

/** A button that copies a text. */
export const copyButton = (text: string, what: string, label = "Copy"): Html =>
  html`<button type="button" class="copy" data-copy="${text}"${label === "Copy" && html` aria-label="Copy ${what}"`}>${icon("copy")}<span>${label}</span></button>`;

/** A block of text as a machine reads it. */
export const block = (text: string, what: string, name = ""): Html =>
  html`<div class="block ${name}"><pre tabindex="0" role="region" aria-label="${what}">${text}</pre>${copyButton(text, what)}</div>`;

/** A short value, with a button that copies it. */
export const copyable = (value: string, what: string): Html =>
  html`<code>${value}</code>${copyButton(value, what)}`;

/** Names and their values. Those without a value are left out. */
export const terms = (name: string, rows: readonly (readonly [name: Part, value: Part])[]): Html =>
  html`<dl class="${name}">${rows.filter(([, value]) => value).map(([term, value]) => html`<div><dt>${term}</dt><dd class="line">${value}</dd></div>`)}</dl>`;

/** The buttons of an entry: a command, its text, and its accessible name. */
type Acts = readonly (readonly [action: CommandName, text: string, label: string])[];

/** An entry of a short list, with its buttons: a receiver, a scene, a fault. */
export function panel(
  context: PageContext,
  at: string,
  text: Part,
  hidden: FormOptions["hidden"] = {},
  acts: Acts = [],
): Html {
  const one = ([action, text, label]: Acts[number]) =>
    button(context, at, action, text, { hidden, label });
  return html`<li class="line"><span>${text}</span><div class="acts line">${acts.map(one)}</div></li>`;
}

/** The tone of a state. Its icon and its word mean the same. */
type Tone = "good" | "bad" | "waiting" | "plain";

/** A state as a person reads it. */
export type Badge = readonly [tone: Tone, shape: IconName | undefined, text: Part];

export const badge = (...[tone, shape, text]: Badge): Html =>
  html`<span class="badge ${tone}">${shape && icon(shape)}${text}</span>`;

/** What happened, and when. */
export type Moment = readonly [at: number | undefined, ...Badge];

/** What happened, in order. */
export const timeline = (moments: readonly Moment[]): Html =>
  html`<ol class="timeline">${moments.map(
    ([at, tone, shape, text]) =>
      html`<li><span class="${tone}">${shape && icon(shape)}</span><span>${text}</span><time>${at !== undefined && timeOf(at)}</time></li>`,
  )}</ol>`;

/** A part of the page under its heading. */
export const card = (
  id: string,
  shape: IconName,
  title: string,
  beside: Part,
  ...content: Part[]
): Html =>
  html`<section class="card" id="${id}" aria-labelledby="${id}-title">
<div class="card-head line between"><h2 class="line" id="${id}-title" tabindex="-1">${icon(shape)}${title}</h2>${beside}</div>
${content}
</section>`;

/** A part of the page that is folded under its heading. */
export const foldedCard = (
  id: string,
  shape: IconName,
  title: string,
  about: string,
  content: Part,
): Html =>
  html`<section class="card" id="${id}" aria-label="${title}">
${folded(`${id}-details`, html`${icon(shape)}<h2>${title}</h2><small>${about}</small>`, content, "")}
</section>`;
