import { type Html, html, type Part } from "../../html/html.ts";
import { icon } from "../../html/icons.ts";
import { type Badge, badge } from "./components.ts";
import { clipped, timeOf } from "./page-format.ts";
import { type ListName, linkTo, type PageContext, type View } from "./page-view.ts";

/** How many rows of a list one page has. Up to this many, a list needs no search. */
const PER_PAGE = 10;
/** Failures are counted among the latest entries. */
const MAX_COUNTED = 500;
const MAX_GROUPS = 3;

/** What a list can be limited to: the value in the address, its name, and which entries it has. */
type Choice<Item> = readonly [value: string, text: Part, matches: (item: Item) => boolean];

/** A choice for each state that entries have in a field. */
export const choicesOf = <Field extends string>(
  field: Field,
  states: Readonly<Record<string, Badge>>,
): Choice<Readonly<Record<Field, string>>>[] =>
  Object.entries(states).map(([state, [, , text]]) => [
    state,
    text,
    (item) => item[field] === state,
  ]);

/** A list of the page, with filters, a search and pages. */
interface List<Item> {
  readonly name: ListName;
  /** Oldest first. They are shown newest first. */
  readonly items: readonly Item[];
  readonly choices: readonly Choice<Item>[];
  /** What the search looks for, such as "Reference or phone". */
  readonly searched: string;
  readonly searchedText: (item: Item) => string;
  /** Why an entry failed. Equal failures are counted. It must be part of the text. */
  readonly failureOf?: (item: Item) => string | undefined;
  /** `isTold`: whether the list has told above why the entry failed. */
  readonly row: (item: Item, isTold: boolean) => Html;
  /** Shown if the list has no entries at all. */
  readonly empty: string;
}

export function list<Item>({ view }: PageContext, given: List<Item>): Html {
  const { name, items, choices, searchedText, failureOf, row, empty } = given;
  const [only, find] = [view[`${name}-only`], view[`${name}-find`].toLowerCase()];
  const limit = only === "" ? () => true : choices.find(([value]) => value === only)?.[2];
  const found = items.filter(
    (one) => limit?.(one) && (find === "" || searchedText(one).toLowerCase().includes(find)),
  );
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const page = Math.min(Math.max(Math.trunc(Number(view[name])) || 1, 1), pages);
  const end = found.length - (page - 1) * PER_PAGE;
  const shown = found.slice(Math.max(end - PER_PAGE, 0), end).reverse();
  const groups = find === "" ? equalFailures(given, found) : [];
  const told = new Set(groups.map(([failure]) => failure));
  const isTold = (one: Item) => told.has(failureOf?.(one) ?? "");
  return html`${items.length > 0 && filters(view, given)}
${(items.length > PER_PAGE || find !== "") && search(view, given)}
${groups.length > 0 && groupLinks(view, name, groups)}
${shown.length > 0 && html`<ul class="rows">${shown.map((one) => row(one, isTold(one)))}</ul>`}
${shown.length === 0 && html`<p>${items.length > 0 ? "Nothing matches." : empty}</p>`}
${pages > 1 && pager(view, name, page, found.length)}`;
}

/** Links that choose which rows are shown, each with its count. Empty ones are left out. */
function filters<Item>(view: View, { name, items, choices }: List<Item>): Html {
  const field = `${name}-only` as const;
  const counts = choices.map(
    ([value, text, matches]) => [value, text, items.filter(matches).length] as const,
  );
  const shown = counts.filter(([value, , count]) => count > 0 || value === view[field]);
  const all = [["", "All", items.length] as const, ...shown];
  const link = ([value, text, count]: (typeof all)[number]) =>
    html`<a href="${linkTo(view, { [field]: value, [name]: "" }, name)}"${view[field] === value && html` aria-current="true"`}>${text} <small>${count.toLocaleString("en")}</small></a>`;
  return html`<nav class="filters tabs line" aria-label="Filter the ${name}">${all.map(link)}</nav>`;
}

const search = <Item>(view: View, { name, searched }: List<Item>): Html =>
  html`<form class="inline line" method="get" action="/" role="search"><input type="hidden" name="${name}-only" value="${view[`${name}-only`]}"><label><span class="unseen">Find ${name} by ${searched.toLowerCase()}</span><input type="search" name="${name}-find" value="${view[`${name}-find`]}" placeholder="${searched}"></label><button>Find</button></form>`;

/** What failed for one reason, and how often. */
type Group = readonly [failure: string, count: number];

/** The failures that came more than once, the most frequent first. */
function equalFailures<Item>({ failureOf }: List<Item>, found: readonly Item[]): Group[] {
  const counts = new Map<string, number>();
  for (const one of failureOf === undefined ? [] : found.slice(-MAX_COUNTED)) {
    const failure = failureOf?.(one);
    if (failure !== undefined) counts.set(failure, (counts.get(failure) ?? 0) + 1);
  }
  const groups = [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]);
  return groups.slice(0, MAX_GROUPS);
}

/** Each a link to only those. */
function groupLinks(view: View, name: ListName, groups: readonly Group[]): Html {
  const link = ([failure, count]: Group) =>
    html`<li><a class="bad" href="${linkTo(view, { [`${name}-find`]: failure, [name]: "" }, name)}">${icon("warning")}<strong>${count} times</strong> ${failure}</a></li>`;
  return html`<ul class="groups" aria-label="Equal failures">${groups.map(link)}</ul>`;
}

function pager(view: View, name: ListName, page: number, total: number): Html {
  const first = (page - 1) * PER_PAGE;
  const link = (to: number, text: string, exists: boolean) =>
    exists
      ? html`<a href="${linkTo(view, { [name]: String(to) }, name)}">${text}</a>`
      : html`<span class="hint">${text}</span>`;
  return html`<nav class="pager line between" aria-label="Pages of ${name}">${link(page - 1, "Newer", page > 1)}<span>${first + 1}–${Math.min(first + PER_PAGE, total)} of ${total.toLocaleString("en")}</span>${link(page + 1, "Older", first + PER_PAGE < total)}</nav>`;
}

/** An entry of a list: a link that unfolds its details. */
interface Row {
  /** The field of the view that names the entry that is open, and its value for this one. */
  readonly entry: readonly ["payment" | "delivery" | "request", id: string];
  readonly head: Part;
  readonly state: Badge;
  /** Details in small text. Empty texts are left out. */
  readonly about: readonly (string | false | undefined)[];
  readonly at: number | undefined;
  readonly failure?: string | undefined;
  /** The faults that it met. */
  readonly faults?: string | undefined;
  readonly detail: () => Html;
}

export function row({ view }: PageContext, given: Row): Html {
  const { entry, head, state, about, at, failure, faults, detail } = given;
  const [field, value] = entry;
  const id = `${field}-${value}`;
  const isOpen = view[field] === value;
  return html`<li class="row" id="${id}"><a class="row-head" href="${linkTo(view, { [field]: isOpen ? "" : value }, id)}" aria-expanded="${String(isOpen)}">
<span class="row-main line">${head}</span>${badge(...state)}
<span class="row-sub hint">${about
    .filter(Boolean)
    .map((one) => clipped(String(one), 90))
    .join(" · ")}</span><time>${at !== undefined && timeOf(at)}</time>
${failure !== undefined && html`<span class="row-why bad">${icon("warning")}${failure}</span>`}${faults !== undefined && html`<span class="row-why row-fault waiting">${icon("bolt")}${faults}</span>`}</a>
${isOpen && html`<div class="detail stack" id="${field}-detail-${value}">${detail()}</div>`}</li>`;
}
