import { isObject } from "../../internal/is-object.ts";
import type { EventQuery } from "../../webhooks/inbox/event-list.ts";
import { listPage, sameError } from "../../webhooks/inbox/event-pages.ts";
import type { Input, Output } from "../command.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { cellText, formatFields, formatTable, paint } from "../terminal/output.ts";
import {
  allEvents,
  bodyOf,
  type EventWithBody,
  readEvents,
  readFilter,
  type Selected,
  type StoredEvent,
} from "./events.ts";
import { shortIds } from "./ids.ts";
import { reached } from "./open.ts";

const MAX_LIMIT = 1_000;
const MAX_ERROR_LENGTH = 80;

/** Stored text in one line: a line break in it could begin what looks like another row. */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

const timeOf = ({ receivedAt }: StoredEvent): string => new Date(receivedAt).toISOString();

/** An event as `--json` prints it. */
const asJson = (event: StoredEvent) => ({ ...event, receivedAt: timeOf(event) });

/** What a person knows an order by. */
interface Order {
  readonly reference?: unknown;
  readonly account_reference?: unknown;
  readonly amount?: unknown;
}

function orderIn(event: EventWithBody | undefined): Order {
  try {
    const { data } = JSON.parse(event?.body ?? "{}") as { data?: unknown };
    const { reference, account_reference, amount } = (isObject(data) ? data : {}) as Order;
    return { reference, account_reference, amount };
  } catch {
    return {};
  }
}

/** `malipo inbox list` */
export async function listEvents(selection: Selected, { values }: Input): Promise<Output> {
  const filter = readFilter(values);
  const groupBy = values["group-by"];
  if (groupBy !== undefined) return listGroups(selection, groupBy, filter);
  const limit = readWholeNumber(values, "limit", 1, MAX_LIMIT);
  const query = { ...filter, limit, after: values.after };
  const page = await reached(() => listPage(selection.list, query));
  const orders = await reached(() =>
    Promise.all(page.map(async ({ id }) => orderIn(await bodyOf(selection, id)))),
  );
  const ids = (await allEvents(selection, filter)).map(({ id }) => id);
  const items = page.map((event, index) => ({ ...asJson(event), ...orders[index] }));
  const text = () => {
    const { what } = selection;
    if (page.length === 0) return `No ${what}s.`;
    const count = `${page.length} of ${ids.length} ${what}${ids.length === 1 ? "" : "s"}.`;
    const more = page.next === undefined ? "" : ` More: --after ${page.next}`;
    return [formatEvents(page, orders, shortIds(ids)), paint("dim", count + more)].join("\n");
  };
  return { value: { items, next: page.next, total: ids.length }, text };
}

type Column = readonly [head: string, cell: (event: StoredEvent, order: Order) => unknown];

const EVENT_COLUMNS: readonly Column[] = [
  ["received", timeOf],
  ["event", ({ event }) => event],
  ["reference", (_, { reference }) => reference],
  ["account reference", (_, { account_reference }) => account_reference],
  ["amount", (_, { amount }) => amount],
  ["attempts", ({ attempts }) => attempts],
];
const DOUBLE_COLUMNS: readonly Column[] = [
  ["noticed", timeOf],
  ["same", ({ by }) => by],
  ["value", ({ value }) => value],
  ["payments", ({ references }) => references?.join(", ")],
  ["merchant", ({ merchant }) => merchant],
];

/** Columns of which no row has a value are left out. */
function formatEvents(
  events: readonly StoredEvent[],
  orders: readonly Order[],
  shortId: (id: string) => string,
): string {
  const columns: readonly Column[] = [
    ...(events.some(({ by }) => by !== undefined) ? DOUBLE_COLUMNS : EVENT_COLUMNS),
    ["id", ({ id }) => shortId(id)],
    ["error", ({ error }) => error && oneLine(error, MAX_ERROR_LENGTH)],
  ];
  const rows = events.map((event, index) =>
    columns.map(([, cell]) => oneLine(cellText(cell(event, orders[index] ?? {})))),
  );
  const hasValue = columns.map((_, column) => rows.some((row) => row[column] !== ""));
  return formatTable(
    [columns.map(([head]) => head), ...rows].map((row) => row.filter((_, at) => hasValue[at])),
  );
}

/** Events that have something in common. */
interface Group {
  readonly count: number;
  readonly oldest: string;
  readonly newest: string;
  readonly kind: string;
  readonly error: string;
}

/** Counts events with the same kind, or with the same kind and error. The largest group first. */
export function groupsOf(events: readonly StoredEvent[], by: string): Group[] {
  const groups = new Map<string, StoredEvent[]>();
  for (const one of events) {
    const { event = "", error = "" } = one;
    const key = JSON.stringify([event, by === "error" ? sameError(oneLine(error)) : ""]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups]
    .map(([key, own]) => {
      const [kind, error] = JSON.parse(key) as [string, string];
      const [first, last] = [own[0] as StoredEvent, own.at(-1) as StoredEvent];
      return { count: own.length, oldest: timeOf(first), newest: timeOf(last), kind, error };
    })
    .sort((a, b) => b.count - a.count);
}

export const formatGroups = (groups: readonly Group[]): string =>
  formatTable([
    ["count", "oldest", "newest", "event", "error"],
    ...groups.map(({ count, oldest, newest, kind, error }) => [
      String(count),
      oldest,
      newest,
      oneLine(kind),
      oneLine(error, MAX_ERROR_LENGTH),
    ]),
  ]);

async function listGroups(selection: Selected, by: string, filter: EventQuery): Promise<Output> {
  const groups = groupsOf(await allEvents(selection, filter), by);
  const text = () => (groups.length === 0 ? `No ${selection.what}s.` : formatGroups(groups));
  return { value: { groups }, text };
}

/** `malipo inbox show` */
export async function showEvent(selection: Selected, { args }: Input): Promise<Output> {
  const [found] = await readEvents(selection, args);
  const shown = found as EventWithBody;
  const text = () => {
    const { id, event = "", attempts, error, signature, body } = shown;
    const { reference, account_reference, amount } = orderIn(shown);
    const fields = formatFields([
      ["id", id],
      ["event", oneLine(event)],
      ["reference", reference],
      ["account reference", account_reference],
      ["amount", amount],
      ["received", timeOf(shown)],
      ["attempts", attempts],
      ["error", error && oneLine(error)],
      ["signature", signature],
    ]);
    return `${fields}\n\n${body}`;
  };
  return { value: asJson(shown), text };
}
