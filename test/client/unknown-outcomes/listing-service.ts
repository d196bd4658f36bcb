import type { Payment } from "malipo";
import { fc } from "../../support/properties.ts";
import type { Fetch } from "../support/responses.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const ORDER = { amount: 100, phone: "0712 345 678", account_reference: "ORDER-42" };

/** The payment of the order, as the service documents it. */
const SHOWN = { amount: "100.00", phone: "254712345678", account_reference: "ORDER-42" };

/** What a service may do to a payment that it lists: hide fields, or change one of them. */
const SHOWS: readonly object[] = [
  {},
  {},
  { phone: "2547*****678" },
  { account_reference: undefined },
  { phone: undefined, account_reference: undefined },
  { amount: undefined, phone: undefined, account_reference: undefined },
  { amount: "103.00" },
  { amount: 100 },
  { account_reference: "order-42 " },
  { account_reference: "ORDER42" },
  { phone: "+254712345679" },
];

/** A time, as services write it. */
const TIMES = {
  seconds: (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, ""),
  minutes: (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}:00Z`,
  milliseconds: (ms: number) => new Date(ms).toISOString(),
  "with the offset of Nairobi": (ms: number) =>
    new Date(ms + 3 * 60 * MINUTE_MS).toISOString().replace("Z", "+03:00"),
  "local, without an offset": (ms: number) =>
    new Date(ms + 3 * 60 * MINUTE_MS).toISOString().slice(0, 19).replace("T", " "),
  never: () => undefined,
} as const;

/** What a page says of the others. `total` is 0 if the service does not count. */
interface Paging {
  readonly page: number;
  readonly size: number;
  readonly count: number;
}

/** How a service writes its pages, all of which name the next page or its absence truthfully. */
const PAGINGS: Readonly<Record<string, (paging: Paging) => object>> = {
  "page and last page": ({ page, size, count }) => ({
    meta: { current_page: page, last_page: Math.max(1, Math.ceil(count / size)) },
  }),
  "size and total": ({ page, size, count }) => ({
    meta: { page, per_page: size, total: count },
  }),
  "a link": ({ page, size, count }) => ({
    total: count,
    links: { next: page * size < count ? `/payments?page=${page + 1}` : null },
  }),
  "a cursor": ({ page, size, count }) => ({
    next_cursor: page * size < count ? "abc" : null,
    total: Math.min(size, count),
  }),
  "only a total": ({ count }) => ({ total: count }),
  "the number of its items": ({ page, size, count }) => ({
    count: Math.max(0, Math.min(size, count - (page - 1) * size)),
  }),
  nothing: () => ({}),
};

/** A service and what happened at it: everything that a look for a payment may meet. */
export interface Situation {
  /** Whether the request of the attempt made a payment: what a look cannot know. */
  readonly exists: boolean;
  readonly shows: object;
  /** How far the service's clock is ahead. */
  readonly clockMs: number;
  readonly showsDate: boolean;
  /** How far the clock of payments differs from the clock of responses. */
  readonly skewMs: number;
  readonly time: keyof typeof TIMES;
  readonly paging: keyof typeof PAGINGS;
  readonly pageSize: number;
  /** A service that ignores `page` shows its first page again and again. */
  readonly ignoresPage: boolean;
  readonly newestFirst: boolean;
  /** When other payments were made, against the attempt. */
  readonly others: readonly number[];
  /** Whether other customers pay while the list is read. */
  readonly arrives: boolean;
}

const around = (ms: number) => fc.integer({ min: -ms, max: ms });

export const situations: fc.Arbitrary<Situation> = fc.record({
  exists: fc.boolean(),
  shows: fc.constantFrom(...SHOWS),
  clockMs: fc.oneof(
    fc.constant(0),
    around(2_000),
    around(30_000),
    around(20 * MINUTE_MS),
    around(2 * DAY_MS),
  ),
  showsDate: fc.boolean(),
  skewMs: fc.oneof(fc.constant(0), around(2_000), around(2 * MINUTE_MS)),
  time: fc.constantFrom(...(Object.keys(TIMES) as (keyof typeof TIMES)[])),
  paging: fc.constantFrom(...Object.keys(PAGINGS)),
  pageSize: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(10, 15, 20)),
  ignoresPage: fc.boolean(),
  newestFirst: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  others: fc.array(
    fc.oneof(
      fc.constant(0),
      around(1_000),
      around(MINUTE_MS),
      around(30 * MINUTE_MS),
      around(2 * DAY_MS),
    ),
    { maxLength: 40 },
  ),
  arrives: fc.boolean(),
});

/** The service of a situation. @param begunAt - When the attempt began, by a clock that is right. */
export function listingService(situation: Situation, begunAt: number): { fetch: Fetch } {
  const { clockMs, skewMs, showsDate, pageSize, paging, ignoresPage } = situation;
  const at = (ms: number, reference: string, fields: object): [number, Payment] => {
    const created_at = TIMES[situation.time](ms + clockMs + skewMs);
    return [ms, { reference, status: "pending", created_at, ...fields } as Payment];
  };
  const stranger = (ms: number, i: number) =>
    at(ms, `PAY-${i + 10}`, {
      ...SHOWN,
      account_reference: `ORDER-${i + 100}`,
      phone: `2547990${String(i).padStart(5, "0")}`,
    });
  const made = situation.others.map((ms, i) => stranger(begunAt + Math.min(ms, MINUTE_MS), i));
  if (situation.exists) made.push(at(begunAt + 500, "PAY-1", { ...SHOWN, ...situation.shows }));
  const sign = situation.newestFirst ? -1 : 1;
  const sort = () => made.sort(([one], [other]) => sign * (one - other));
  const fetch: Fetch = async (url, { method }) => {
    if (method === "POST") throw new TypeError("reset");
    const asked = Number(new URL(url).searchParams.get("page") ?? 1);
    const page = ignoresPage ? 1 : asked;
    const all = sort().map(([, payment]) => payment);
    const data = all.slice((page - 1) * pageSize, page * pageSize);
    if (situation.arrives) made.push(stranger(Date.now(), made.length));
    const rest = PAGINGS[paging]?.({ page, size: pageSize, count: all.length });
    const date = new Date(Date.now() + clockMs).toUTCString();
    return Response.json({ data, ...rest }, { headers: showsDate ? { date } : {} });
  };
  return { fetch };
}
