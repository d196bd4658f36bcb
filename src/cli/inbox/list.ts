import { sameError } from "../../internal/error-text.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import type { WithBody } from "../../webhooks/inbox/event-list.ts";
import { listPage } from "../../webhooks/inbox/event-pages.ts";
import type { Input } from "../command.ts";
import type { INBOX_LIST } from "../flags/stores.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { cellText, paint } from "../terminal/output.ts";
import { formatFields, formatTable, type Screen } from "../terminal/table.ts";
import { relativeTime, wholeTime } from "../terminal/times.ts";
import {
  allEvents,
  onList,
  readEvents,
  readFilter,
  type StoredEvent,
  shortIds,
  withBody,
} from "./listed-events.ts";

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
function orderIn(body = ""): Readonly<Record<string, unknown>> {
  const { data } = Object(parseJson(body)) as { data?: unknown };
  const { reference, account_reference, amount } = isObject(data) ? data : {};
  return { reference, account_reference, amount };
}

/** `malipo inbox list` */
export const list = onList(
  async (selection, { flags, io: { stdout } }: Input<FlagsOf<typeof INBOX_LIST>>) => {
    const { what } = selection;
    const filter = readFilter(flags);
    const all = await allEvents(selection, filter);
    const groupBy = flags["group-by"];
    if (groupBy !== undefined) {
      const groups = groupsOf(all, groupBy);
      const text = () => (groups.length === 0 ? `No ${what}s.` : formatGroups(groups, stdout));
      return { value: { groups }, text };
    }
    const limit = readWholeNumber(flags, "limit", 1, MAX_LIMIT);
    const page = await listPage(selection.list, { ...filter, limit, after: flags.after });
    const orders = await Promise.all(
      page.map(async ({ id }) => orderIn((await withBody(selection, id))?.body)),
    );
    const items = page.map((event, index) => ({ ...asJson(event), ...orders[index] }));
    const text = () => {
      if (page.length === 0) return `No ${what}s.`;
      const count = `${page.length} of ${all.length} ${what}${all.length === 1 ? "" : "s"}.`;
      const more = page.next === undefined ? "" : ` More: --after ${page.next}`;
      const shortId = shortIds(all.map(({ id }) => id));
      return [formatEvents(page, orders, shortId, stdout), paint("dim", count + more)].join("\n");
    };
    return { value: { items, next: page.next, total: all.length }, text };
  },
);

type Column = readonly [head: string, cell: (event: StoredEvent, order: Order) => unknown];
type Order = ReturnType<typeof orderIn>;

const ageOf = ({ receivedAt }: StoredEvent): string => relativeTime(receivedAt);

const EVENT_COLUMNS: readonly Column[] = [
  ["received", ageOf],
  ["event", ({ event }) => event],
  ["reference", (_, { reference }) => reference],
  ["account reference", (_, { account_reference }) => account_reference],
  ["amount", (_, { amount }) => amount],
  ["attempts", ({ attempts }) => attempts],
];
const DOUBLE_COLUMNS: readonly Column[] = [
  ["noticed", ageOf],
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
  screen: Screen,
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
    screen,
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
  const groups = new Map<string, Group>();
  for (const one of events) {
    const { event: kind = "", error: text = "" } = one;
    const error = by === "error" ? sameError(oneLine(text)) : "";
    const key = JSON.stringify([kind, error]);
    const newest = timeOf(one);
    const { count = 0, oldest = newest } = groups.get(key) ?? {};
    groups.set(key, { count: count + 1, oldest, newest, kind, error });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export const formatGroups = (groups: readonly Group[], screen: Screen): string =>
  formatTable(screen, [
    ["count", "oldest", "newest", "event", "error"],
    ...groups.map(({ count, oldest, newest, kind, error }) => [
      String(count),
      relativeTime(oldest),
      relativeTime(newest),
      oneLine(kind),
      oneLine(error, MAX_ERROR_LENGTH),
    ]),
  ]);

/** `malipo inbox show` */
export const show = onList(async (selection, { args }) => {
  const [shown] = (await readEvents(selection, args)) as [WithBody<StoredEvent>];
  const { id, error, signature, body } = shown;
  const order = orderIn(body);
  const text = () =>
    `${formatFields([
      ["id", id],
      ["received", wholeTime(shown.receivedAt)],
      ...EVENT_COLUMNS.slice(1).map(([name, cell]) => [name, cell(shown, order)] as const),
      ["error", error && oneLine(error)],
      ["signature", signature],
    ])}\n\n${body}`;
  return { value: asJson(shown), text };
});
