import {
  checkOptions,
  type OptionRows,
  optional,
  wrongOption,
} from "../../internal/check-options.ts";
import {
  comparePositions,
  cutPage,
  PAGE_OPTIONS,
  type Position,
} from "../../internal/page-cursor.ts";
import type { EventFilter, EventList, EventPage, EventPosition, EventQuery } from "./event-list.ts";

const positionOf = ({ receivedAt, id }: EventPosition): Position => ({ at: receivedAt, id });

/** A page of a list, with the position of the next one. @throws {ConfigurationError} */
export async function listPage<Item extends EventPosition>(
  list: Pick<EventList<Item>, "list">,
  query: EventQuery = {},
): Promise<EventPage<Item>> {
  const filter = checkEventQuery(query);
  // One more than the limit shows whether there is a next page.
  const found = await list.list({ ...filter, limit: filter.limit + 1 });
  const { items, next } = cutPage(found, filter.limit, positionOf);
  // Not enumerable, so that a page is logged and compared as the list of its events.
  return Object.defineProperty(items, "next", { value: next }) as EventPage<Item>;
}

/** An event or a double payment, as far as a filter looks at it. */
type Filtered = EventPosition & { readonly event?: string };

/** The first items that match, in the order of a list. */
export function pageOf<Item extends Filtered>(all: readonly Item[], filter: EventFilter): Item[] {
  const matching = all.filter((one) => matchesFilter(one, filter));
  return matching.sort(compareEvents).slice(0, filter.limit);
}

/** Whether an item matches a filter; its limit is not looked at. A double payment has no kind. */
export function matchesFilter(
  { event, receivedAt, id }: Filtered,
  { kind, since, until, after }: EventFilter,
): boolean {
  if (kind !== undefined && event !== undefined && event !== kind) return false;
  if (since !== undefined && receivedAt < since) return false;
  if (until !== undefined && receivedAt >= until) return false;
  return after === undefined || compareEvents({ receivedAt, id }, after) > 0;
}

/** The order of a list. */
export const compareEvents = (a: EventPosition, b: EventPosition): number =>
  comparePositions(positionOf(a), positionOf(b));

function checkKind(kind: string): string {
  if (typeof kind === "string" && kind !== "") return kind;
  throw wrongOption("kind", 'a kind of event, such as "payment.completed"', kind);
}

function momentOf(name: string, moment: unknown): number {
  if (moment instanceof Date && Number.isFinite(moment.getTime())) return moment.getTime();
  throw wrongOption(name, "a valid Date", moment);
}

const FILTER_OPTIONS = {
  kind: (kind) => optional(kind, checkKind),
  since: (moment) => optional(moment, (given) => momentOf("since", given)),
  until: (moment) => optional(moment, (given) => momentOf("until", given)),
} satisfies OptionRows<Omit<EventQuery, keyof typeof PAGE_OPTIONS>>;

function checkEventQuery(query: EventQuery): EventFilter {
  // A bundle keeps a table with a spread, also if nothing uses it.
  const rows = { ...PAGE_OPTIONS, ...FILTER_OPTIONS };
  const { after, ...filter } = checkOptions(query, rows, "list");
  return { ...filter, after: after && { receivedAt: after.at, id: after.id } };
}
