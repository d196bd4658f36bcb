import { type Html, html, type Part } from "../html/html.ts";
import { icon } from "../html/icons.ts";
import { comparePositions, cursorOf, positionAt } from "../internal/page-cursor.ts";
import type { Entry, Sources } from "./entry.ts";
import { MAX_BODY_BYTES, withKnown } from "./event-entries.ts";
import { withOrders } from "./money-entries.ts";
import { type Group, groupsOf, LISTS, MAX_ENTRIES, type QueueList } from "./queue-lists.ts";
import { ageText, link, messageOf, plural, unbroken } from "./wording.ts";

/** What the address of the page asks for. */
export interface Asked {
  readonly list?: string | undefined;
  readonly group?: string | undefined;
  readonly after?: string | undefined;
  readonly item?: string | undefined;
  /** A choice that is to be confirmed. */
  readonly do?: string | undefined;
  /** An order or a payment that may wait for nothing. */
  readonly order?: string | undefined;
  readonly payment?: string | undefined;
  /** Whole phone numbers are wanted. */
  readonly whole?: string | undefined;
  /** The search from which the person comes. */
  readonly from?: string | undefined;
}

/** How many rows a page of a list has. */
const ROWS = 25;
/** How many rows a list has on the first page. */
const ROWS_AT_FIRST = 5;
/** How many entries of a list are counted on the first page. */
const COUNTED = 1_000;

/** The entries after a cursor; all of them without one. */
export function entriesAfter<One extends Entry>(
  entries: readonly One[],
  after: string | undefined,
): readonly One[] {
  const position = positionAt(after);
  if (position === undefined) return entries;
  return entries.filter((entry) => comparePositions(entry, position) > 0);
}

/** What an entry belongs to: its order, amount and phone. */
export const headline = ({ known }: Entry): Html =>
  html`<strong>${known?.order || known?.references.join(" and ") || "Data not read"}</strong>${known?.amount !== undefined && html` <span class="amount">${known.amount}</span>`}${known?.code !== undefined && html` <span class="code">${known.code}</span>`}${known?.phone !== undefined && html` <span class="phone">${known.phone}</span>`}`;

export function row(list: string, entry: Entry, asked: Asked, now: number): Html {
  const isOpen = asked.item === entry.id;
  const { group, after, from } = asked;
  const href = link({ list, item: entry.id, group, after, from });
  const todo = entry.todo ?? LISTS[list]?.todo;
  return html`<li><a class="row" href="${href}"${isOpen && html` aria-current="true"`}>${head(entry, now)}<span class="cause">${unbroken(entry.cause)}</span>${todo !== undefined && html`<span class="hint">${unbroken(todo)}</span>`}</a></li>`;
}

/** The first line of a row: what it belongs to, and its age. */
const head = (entry: Entry, now: number): Html =>
  html`<span class="head"><span>${headline(entry)}</span><small>${ageText(entry.at, now)}</small></span>`;

/** The row of an order, or of a payment, that does not have to wait. */
export const lookupRow = (
  list: "order" | "payment",
  entry: Entry,
  from: string,
  now: number,
): Html =>
  html`<li><a class="row" href="${link({ [list]: entry.id, from })}">${head({ ...entry, known: { references: [], ...entry.known, order: `${list === "order" ? "Order" : "Payment"} ${entry.id}` } }, now)}<span class="cause">${unbroken(entry.cause)}</span></a></li>`;

const groupRow = (name: string, { key, cause, entries }: Group, now: number): Html =>
  html`<li><a class="row" href="${link({ list: name, group: key })}"><span class="line between"><span><span class="badge bad">${entries.length}</span> <strong>${cause}</strong></span><small>oldest: ${ageText(entries[0]?.at ?? now, now)}</small></span></a></li>`;

/** Rows with what their orders and bodies say, and how many were left without. */
async function readRows(sources: Sources, entries: readonly Entry[]) {
  const { entries: read, unread } = await withKnown(sources, await withOrders(sources, entries));
  const note =
    unread > 0 &&
    html`<p class="hint">The data of ${unread} events is not shown, since the others hold ${MAX_BODY_BYTES / 1_048_576} MB. Open one to see it.</p>`;
  return { read, note };
}

const heading = (id: string, title: string, count: string): Html =>
  html`<h2 id="${id}-title">${title} <small>${count}</small></h2>`;

const failed = (name: string, title: string, error: unknown): Html =>
  html`<section class="card" id="${name}" aria-labelledby="${name}-title">${heading(name, title, "")}<p class="bad">This could not be read: ${messageOf(error)}</p></section>`;

const notWhole = (problem: string | undefined): Part =>
  problem !== undefined && html`<p class="bad">Not everything could be read: ${problem}</p>`;

/** One list on the first page, with its count. */
async function section(sources: Sources, name: string, list: QueueList, now: number) {
  try {
    const { entries, hasMore, problem } = await list.read(sources, COUNTED);
    const count = `${entries.length}${hasMore ? "+" : ""}`;
    if (entries.length === 0 && problem === undefined) return { name, count, content: undefined };
    const groups = list.isGrouped ? groupsOf(entries) : [];
    const single = groups.flatMap((one) => (one.entries.length === 1 ? one.entries : []));
    const many = groups.filter((one) => one.entries.length > 1);
    const shown = (list.isGrouped ? single : entries).slice(0, ROWS_AT_FIRST);
    const { read, note } = await readRows(sources, shown);
    const rows = [
      ...many.slice(0, ROWS_AT_FIRST).map((one) => groupRow(name, one, now)),
      ...read.map((one) => row(name, one, {}, now)),
    ];
    const all = html`<p><a href="${link({ list: name })}">All ${count}</a></p>`;
    const content = html`<section class="card" id="${name}" aria-labelledby="${name}-title">${heading(name, list.title, count)}<p class="hint">${list.hint}</p>${notWhole(problem)}<ul class="rows">${rows}</ul>${note}${entries.length > shown.length && all}</section>`;
    return { name, count, content };
  } catch (error) {
    return { name, count: "?", content: failed(name, list.title, error) };
  }
}

/** The counters of all lists, each a link. Those of empty lists are folded. */
function counters(counts: Readonly<Record<string, string>>): Html {
  const names = Object.keys(LISTS);
  const empty = names.filter((name) => counts[name] === "0");
  const some = names.filter((name) => !empty.includes(name));
  const listOf = (shown: readonly string[]): Part =>
    shown.length > 0 &&
    html`<ul class="counters">${shown.map((name) => html`<li><a href="${link({ list: name })}"${counts[name] === "0" && html` class="zero"`}>${LISTS[name]?.title} <b>${counts[name]}</b></a></li>`)}</ul>`;
  return html`<nav aria-label="Lists" class="stack">${listOf(some)}${empty.length > 0 && html`<details><summary class="hint">${plural(empty.length, "list")} with nothing to do</summary>${listOf(empty)}</details>`}</nav>`;
}

/** Everything that waits for a person now, money first. */
export async function overview(sources: Sources, now: number): Promise<Html> {
  const sections = await Promise.all(
    Object.entries(LISTS).map(([name, list]) => section(sources, name, list, now)),
  );
  const counts = Object.fromEntries(sections.map(({ name, count }) => [name, count]));
  const waiting = sections.flatMap(({ content }) => content ?? []);
  return html`${counters(counts)}${waiting.length > 0 ? waiting : html`<p class="card">${icon("check")}Nothing waits for a person.</p>`}`;
}

/** One list, page by page; `buttons` decide about a whole group. */
export async function listView(
  sources: Sources,
  asked: Asked,
  now: number,
  buttons: (group: Group) => Part,
): Promise<Html> {
  const { list: name = "", group: key, after } = asked;
  const list = LISTS[name] as QueueList;
  const back = html`<p><a href="${key === undefined ? "?" : link({ list: name })}">← ${key === undefined ? "Everything" : list.title}</a></p>`;
  try {
    const { entries, hasMore, problem } = await list.read(sources, MAX_ENTRIES);
    const groups = list.isGrouped ? groupsOf(entries) : [];
    const group = groups.find((one) => one.key === key);
    const own = key === undefined ? entries : (group?.entries ?? []);
    const rest = entriesAfter(own, after);
    const { read, note } = await readRows(sources, rest.slice(0, ROWS));
    const last = rest.length > ROWS ? read.at(-1) : undefined;
    const many = key === undefined ? groups.filter((one) => one.entries.length > 1) : [];
    const count = `${own.length.toLocaleString("en")}${hasMore ? "+" : ""}`;
    const next = last && link({ list: name, group: key, after: cursorOf(last) });
    return html`${back}<section class="card" id="${name}" aria-labelledby="${name}-title">${heading(name, list.title, count)}<p class="hint">${list.hint}</p>${notWhole(problem)}${group !== undefined && html`<p><strong>${group.cause}</strong></p>${buttons(group)}`}${
      many.length > 1 && after === undefined
        ? html`<h3>By cause</h3><ul class="rows">${many.slice(0, ROWS).map((one) => groupRow(name, one, now))}</ul><h3>One by one</h3>`
        : many.length === 1 && after === undefined
          ? html`<ul class="rows">${groupRow(name, many[0] as Group, now)}</ul>`
          : false
    }${own.length === 0 ? html`<p class="hint">${icon("check")}None.</p>` : html`<ul class="rows">${read.map((one) => row(name, one, asked, now))}</ul>`}${note}${next !== undefined && html`<p><a href="${next}">Next ${Math.min(ROWS, rest.length - ROWS)}</a></p>`}${hasMore && problem === undefined && html`<p class="hint">More than ${MAX_ENTRIES.toLocaleString("en")} wait. The newer ones are shown when these are done.</p>`}</section>`;
  } catch (error) {
    return html`${back}${failed(name, list.title, error)}`;
  }
}
